/**
 * `npm run check:runtimes`: packs the package, installs it into an empty project, and uses it there
 * on each runtime, in a browser and from TypeScript. Prints a line for each; exit status 1 if one
 * fails.
 */
import { parseArgs } from "node:util";
import { pack, versionOf } from "../package-tarball.ts";
import { type CheckResult, failureReason, renderResult, renderSummary } from "../result-lines.ts";
import { runScript } from "../run-script.ts";
import { TempWorkspace } from "../temp-workspace.ts";
import { checkBrowser, checkBundles, findBrowser } from "./browser.ts";
import { checkOldNode, checkRuntime, checkTypes, type Installation } from "./checks.ts";
import { installPackage, installRuntimes } from "./install.ts";
import { OLD_NODE, RUNTIMES } from "./runtimes.ts";

const lines: CheckResult[] = [];

function report(line: CheckResult): void {
  lines.push(line);
  console.log(renderResult(line));
}

/** Runs a check and reports its result. */
async function attempt(name: string, version: string, trial: () => Promise<string>): Promise<void> {
  const start = performance.now();
  const settled = await trial().then(
    (text) => ({ outcome: "passed", text }) as const,
    (error: unknown) => ({ outcome: "failed", text: reasonOf(error) }) as const,
  );
  report({ name, version, ...settled, durationMs: performance.now() - start });
}

function reasonOf(error: unknown): string {
  return failureReason(error instanceof Error ? error.message : String(error));
}

async function prepare(workspace: TempWorkspace): Promise<Installation> {
  const packages = [...RUNTIMES, OLD_NODE].flatMap((runtime) =>
    runtime.package ? [runtime.package] : [],
  );
  const [runtimes, project] = await Promise.all([
    installRuntimes(workspace, Object.fromEntries(packages)),
    pack(workspace).then(({ file }) => installPackage(workspace, file)),
  ]);
  return { workspace, project, runtimes };
}

async function tryBrowser(places: Installation): Promise<void> {
  await attempt("bundle", versionOf("esbuild"), () => checkBundles(places));
  const browser = await findBrowser(places);
  if (browser) {
    await attempt("Chromium", browser.version, () => checkBrowser(browser.program, places));
  } else {
    const text = "Chromium is not installed";
    report({ name: "Chromium", version: "", outcome: "skipped", text, durationMs: 0 });
  }
}

async function main(): Promise<number> {
  parseArgs();
  const start = performance.now();
  const places = await prepare(new TempWorkspace());
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`built, packed and installed in ${seconds} s`);
  for (const runtime of RUNTIMES) {
    await attempt(runtime.name, runtime.version, () => checkRuntime(runtime, places));
  }
  await attempt(OLD_NODE.name, OLD_NODE.version, () => checkOldNode(OLD_NODE, places));
  await tryBrowser(places);
  for (const resolution of ["NodeNext", "Bundler"] as const) {
    await attempt(resolution, versionOf("typescript"), () => checkTypes(resolution, places));
  }
  console.log(renderSummary(lines, performance.now() - start));
  return lines.some(({ outcome }) => outcome === "failed") ? 1 : 0;
}

await runScript(
  {
    name: "check:runtimes",
    summary: "installs the package and uses it on each runtime, in a browser and from TypeScript",
  },
  main,
);
