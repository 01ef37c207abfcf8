/**
 * `npm run generate`: turns `spec/` into `generated/`. With `--check` it writes nothing and fails,
 * naming the file, where `generated/` is not what `spec/` gives. `--root DIR` works on another
 * checkout.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { BANNER } from "./banner.ts";
import { compileContract } from "./contract.ts";
import type { Document } from "./document.ts";
import { GenerateError } from "./error.ts";
import { renderEvents } from "./events.ts";
import { renderOperations } from "./operations.ts";
import { renderPlaces } from "./places.ts";
import { readCatalogue, renderExclusions, renderRequirements } from "./requirements.ts";
import { renderTypes } from "./types.ts";
import { renderValidators, renderValidatorTypes } from "./validators.ts";

type Files = Map<string, string>;

/** Makes every file of `generated/` in memory, with a line and a time for each step. */
async function generate(root: string): Promise<Files> {
  const files: Files = new Map();
  const step = async (what: string, name: string, make: () => string | Promise<string>) => {
    const start = performance.now();
    const content = await make();
    files.set(name, content);
    report(what, name, performance.now() - start);
  };

  const start = performance.now();
  const { yaml, json } = await compileContract(root);
  files.set("openapi.yaml", `# ${BANNER}\n${yaml}`);
  files.set("openapi.json", json);
  report("contract", "openapi.yaml, openapi.json", performance.now() - start);

  const document: Document = JSON.parse(json);
  await step("types", "types.ts", () => renderTypes(json));
  await step("events", "events.ts", () => renderEvents(document));
  await step("operations", "operations.ts", () => renderOperations(document));
  const catalogue = await readCatalogue(root);
  await step("requirements", "requirements.ts", () => renderRequirements(catalogue));
  await step("exclusions", "exclusions.ts", () => renderExclusions(root, catalogue));
  await step("places", "places.ts", () => renderPlaces(document));
  await step("validators", "validators.js", () => renderValidators(document));
  await step("validators", "validators.d.ts", () => renderValidatorTypes());
  return files;
}

function report(what: string, name: string, ms: number): void {
  console.log(`  ${what.padEnd(13)}${name.padEnd(29)}${(ms / 1000).toFixed(2).padStart(6)} s`);
}

/**
 * The names of the files that differ from, or are missing in, or do not belong into `generated/`.
 */
async function staleFiles(dir: string, files: Files): Promise<string[]> {
  const present = await readdir(dir).catch(() => []);
  const orphans = present.filter((name) => !files.has(name));
  const changed: string[] = [];
  for (const [name, content] of files) {
    const current = await readFile(join(dir, name), "utf8").catch(() => undefined);
    if (current !== content) changed.push(name);
  }
  return [...changed, ...orphans];
}

/** Writes what has changed, each file whole or not at all, and removes what does not belong. */
async function write(dir: string, files: Files, stale: string[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const name of stale) {
    const content = files.get(name);
    const path = join(dir, name);
    if (content === undefined) {
      await rm(path);
      continue;
    }
    const temporary = join(dir, `.${name}.${process.pid}`);
    await writeFile(temporary, content);
    await rename(temporary, path);
  }
}

async function main(): Promise<number> {
  const start = performance.now();
  const { values } = parseArgs({
    options: { check: { type: "boolean" }, root: { type: "string", default: process.cwd() } },
  });
  const root = resolve(values.root);
  const dir = join(root, "generated");
  const files = await generate(root);
  const stale = await staleFiles(dir, files);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (values.check) {
    for (const name of stale) console.error(`generated/${name} is stale: run npm run generate`);
    if (stale.length === 0) console.log(`generated/ is fresh: ${files.size} files, ${seconds} s`);
    return stale.length > 0 ? 1 : 0;
  }
  await write(dir, files, stale);
  const changed = stale.length === 0 ? "none changed" : `changed: ${stale.join(", ")}`;
  console.log(`generated/ has ${files.size} files, ${changed}, ${seconds} s`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (process.env.TXFEED_DEBUG) throw error;
  const lines = error instanceof GenerateError ? error.lines : [`generate: ${String(error)}`];
  for (const line of lines) console.error(line);
  process.exitCode = 1;
}
