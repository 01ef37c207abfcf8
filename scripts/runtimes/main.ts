/**
 * `npm run check:runtimes`: packs the package, installs it into an empty project, and uses it there
 * on each runtime, in a browser, and from TypeScript. A line each; exit status 1 where one fails.
 */
import { parseArgs } from "node:util";
import { runScript } from "../program.ts";
import { bundleExports, findBrowser, useInBrowser } from "./browser.ts";
import { installPackage, installRuntimes } from "./install.ts";
import { type Line, reasonIn, render, renderSum } from "./lines.ts";
import { OLD_NODE, RUNTIMES } from "./table.ts";
import { pack, versionOf } from "./tarball.ts";
import { compile, type Places, refuseOn, useOn } from "./trials.ts";
import { Workshop } from "./workshop.ts";

const lines: Line[] = [];

function tell(line: Line): void {
  lines.push(line);
  console.log(render(line));
}

/** Tries something, and tells what came of it. */
async function attempt(name: string, version: string, trial: () => Promise<string>): Promise<void> {
  const start = performance.now();
  const settled = await trial().then(
    (text) => ({ outcome: "passed", text }) as const,
    (error: unknown) => ({ outcome: "failed", text: reasonOf(error) }) as const,
  );
  tell({ name, version, ...settled, durationMs: performance.now() - start });
}

function reasonOf(error: unknown): string {
  return reasonIn(error instanceof Error ? error.message : String(error));
}

async function prepare(workshop: Workshop): Promise<Places> {
  const packages = [...RUNTIMES, OLD_NODE].flatMap((runtime) =>
    runtime.package ? [runtime.package] : [],
  );
  const [runtimes, project] = await Promise.all([
    installRuntimes(workshop, Object.fromEntries(packages)),
    pack(workshop).then(({ file }) => installPackage(workshop, file)),
  ]);
  return { workshop, project, runtimes };
}

async function tryBrowser(places: Places): Promise<void> {
  await attempt("bundle", versionOf("esbuild"), () => bundleExports(places));
  const browser = await findBrowser(places);
  if (browser) {
    await attempt("Chromium", browser.version, () => useInBrowser(browser.program, places));
  } else {
    const text = "there is no chromium on this machine";
    tell({ name: "Chromium", version: "", outcome: "skipped", text, durationMs: 0 });
  }
}

async function main(): Promise<number> {
  parseArgs();
  const start = performance.now();
  const places = await prepare(new Workshop());
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`built, packed and installed in ${seconds} s`);
  for (const runtime of RUNTIMES) {
    await attempt(runtime.name, runtime.version, () => useOn(runtime, places));
  }
  await attempt(OLD_NODE.name, OLD_NODE.version, () => refuseOn(OLD_NODE, places));
  await tryBrowser(places);
  for (const resolution of ["NodeNext", "Bundler"] as const) {
    await attempt(resolution, versionOf("typescript"), () => compile(resolution, places));
  }
  console.log(renderSum(lines, performance.now() - start));
  return lines.some(({ outcome }) => outcome === "failed") ? 1 : 0;
}

await runScript("check:runtimes", main);
