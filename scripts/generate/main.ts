/**
 * `npm run generate`: generates `generated/` from `spec/`. With `--check` it writes nothing, and
 * fails with the names of stale files. `--root DIR` selects the `spec/` of another checkout.
 */
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { yamlOf } from "../../spec/library/emitter.ts";
import { compareDocuments, readFromGit } from "../../src/breaks/index.ts";
import { summaryOf } from "../../src/cli/breaks-report.ts";
import { type StagedFile, stageFile } from "../../src/cli/file.ts";
import { debug } from "../../src/cli/output.ts";
import { runScript, ScriptError } from "../run-script.ts";
import { renderArazzo } from "./arazzo.ts";
import { BANNER } from "./banner.ts";
import { claimedDocument, publishedDocument } from "./claims.ts";
import { compileContract, sourcesOf } from "./contract.ts";
import { parseDocument } from "./document.ts";
import { checkDocument, checkExamples } from "./document-check.ts";
import { renderEvents } from "./events.ts";
import { checkExampleCoverage } from "./example-coverage.ts";
import type { ScriptedExample } from "./examples.ts";
import { renderKnownValues } from "./known-values.ts";
import { withoutLinkTargets } from "./link-targets.ts";
import { renderOperations } from "./operations.ts";
import {
  readCatalogue,
  renderDerived,
  renderExclusions,
  renderRequirements,
} from "./requirements.ts";
import { renderResources } from "./resources.ts";
import { renderResponseExamples } from "./response-examples.ts";
import { renderSchemaIndex } from "./schema-index.ts";
import { withSharedSchemas } from "./shared-schemas.ts";
import { renderStateDiagrams } from "./state-diagrams.ts";
import { renderTypes } from "./types.ts";
import { renderValidators, renderValidatorTypes } from "./validators.ts";

type Files = Map<string, string>;

/**
 * Renders every file of `generated/` in memory. Prints a line with the time of each step.
 *
 * @param play makes the examples of scripts; undefined if `generated/` lacks the code for it
 */
async function generate(
  root: string,
  play: (() => Promise<readonly ScriptedExample[]>) | undefined,
): Promise<Files> {
  const files: Files = new Map();
  const step = async (what: string, name: string, make: () => string | Promise<string>) => {
    const start = performance.now();
    const content = await make();
    files.set(name, content);
    report(what, name, performance.now() - start);
  };

  const check = async (what: string, by: string, run: () => void | Promise<void>) => {
    const start = performance.now();
    await run();
    report(what, by, performance.now() - start);
  };

  const start = performance.now();
  const examples = (await play?.()) ?? [];
  if (play) report("examples", "played from the scripts", performance.now() - start);
  const compiled = await compileContract(root, examples);
  const json = publishedDocument(compiled);
  files.set("openapi.yaml", `# ${BANNER}\n${yamlOf(json)}`);
  files.set("openapi.json", json);
  report("contract", "openapi.yaml, openapi.json", performance.now() - start);

  const document = parseDocument(json);
  const sourceOf = sourcesOf(examples);
  await check("document", "checked by swagger-parser", () => checkDocument(document));
  await check("examples", "checked by their schemas", () => {
    checkExamples(document, sourceOf);
    if (play) checkExampleCoverage(document, sourceOf);
  });
  await step("workflows", "arazzo.yaml", () => renderArazzo(root, document));
  await step("types", "types.ts", () => renderTypes(json));
  await step("events", "events.ts", () => renderEvents(document));
  await step("open sets", "known-values.ts", () => renderKnownValues(document));
  await step("operations", "operations.ts", () => renderOperations(document));
  await step("resources", "resources.ts", () => renderResources(document));
  await step("examples", "response-examples.ts", () => renderResponseExamples(document));
  await step("diagrams", "state-diagrams.json", renderStateDiagrams);
  const catalogue = await readCatalogue(root);
  const contract = claimedDocument(compiled, catalogue);
  await step("requirements", "requirements.ts", () => renderRequirements(catalogue));
  await step("requirements", "derived.ts", () => renderDerived(catalogue));
  await step("exclusions", "exclusions.ts", () => renderExclusions(root, catalogue));
  const shapes = withSharedSchemas(withoutLinkTargets(contract));
  await step("schema index", "schema-index.ts", () => renderSchemaIndex(shapes));
  await step("validators", "validators.js", () => renderValidators(shapes));
  await step("validators", "validators.d.ts", () => renderValidatorTypes());
  return files;
}

function report(what: string, name: string, ms: number): void {
  console.log(`  ${what.padEnd(13)}${name.padEnd(29)}${(ms / 1000).toFixed(2).padStart(6)} s`);
}

/** Lists the files in `generated/` that are changed, missing or orphaned. */
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

/**
 * Writes changed files and removes orphans. Every file is written to a temporary file first, so a
 * full or read-only disk leaves `generated/` unchanged.
 */
async function write(dir: string, files: Files, stale: string[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  const staged: StagedFile[] = [];
  try {
    for (const name of stale) {
      const content = files.get(name);
      if (content !== undefined) staged.push(await stageFile(join(dir, name), content));
    }
    for (const { commit } of staged) await commit();
  } finally {
    for (const { discard } of staged) await discard();
  }
  const orphans = stale.filter((name) => !files.has(name));
  for (const name of orphans) await rm(join(dir, name), { recursive: true });
}

/** Summarizes the breaking changes since the committed document in one line. */
async function breaksLine(root: string, openapiJson: string): Promise<string> {
  // There is none without git or before the first commit.
  const committed = await readFromGit("HEAD:./generated/openapi.json", root).catch(() => undefined);
  if (committed === undefined) return "breaks: no committed document to compare with";
  if (committed === openapiJson) return "breaks: none, the document is as committed";
  const breakage = await compareDocuments(JSON.parse(committed), JSON.parse(openapiJson));
  return `breaks: ${summaryOf(breakage)}; see npm run breaks`;
}

const FLAGS = {
  check: { type: "boolean", help: "fail if generated/ is stale; write nothing" },
  root: { type: "string", value: "FOLDER", help: "root of the repository (default: .)" },
} as const;

/** The second run, after a first one that made the code of `generated/`. */
const AGAIN = "TXFEED_GENERATE_AGAIN";

/**
 * Imports what plays the scripts, which needs the generated code.
 *
 * @returns undefined if that code is missing or broken
 * @throws {ScriptError} if other code is broken
 */
async function importPlayer(): Promise<typeof import("./examples.ts") | undefined> {
  try {
    return await import("./examples.ts");
  } catch (error) {
    debug(error);
    const { message, stack = "" } = error as Error;
    const [place = ""] = stack.split("\n");
    const isGenerated = [message, place].some((text) => text.includes("/generated/"));
    if (isGenerated && process.env[AGAIN] === undefined) return undefined;
    const where = place.startsWith("file://") ? `${fileURLToPath(place)}: ` : "";
    throw new ScriptError([`generate: cannot play the scripts: ${where}${message}`]);
  }
}

async function main(): Promise<number> {
  const start = performance.now();
  const { values } = parseArgs({ options: FLAGS });
  const root = resolve(values.root ?? process.cwd());
  const dir = join(root, "generated");
  const player = await importPlayer();
  if (!player && values.check) {
    const problem = "generated/ lacks the code that plays the scripts";
    throw new ScriptError([`${problem}: run npm run generate`]);
  }
  const files = await generate(root, player?.scriptedExamples);
  const stale = await staleFiles(dir, files);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (values.check) {
    for (const name of stale) console.error(`generated/${name} is stale: run npm run generate`);
    if (stale.length === 0) console.log(`generated/ is fresh: ${files.size} files, ${seconds} s`);
    return stale.length > 0 ? 1 : 0;
  }
  await write(dir, files, stale);
  if (!player) {
    const env = { ...process.env, [AGAIN]: "1" };
    const { status } = spawnSync(process.execPath, process.argv.slice(1), {
      stdio: "inherit",
      env,
    });
    return status ?? 1;
  }
  const changed = stale.length === 0 ? "none changed" : `changed: ${stale.join(", ")}`;
  console.log(`generated/ has ${files.size} files, ${changed}, ${seconds} s`);
  console.log(await breaksLine(root, files.get("openapi.json") ?? ""));
  return 0;
}

const summary = "generates the document, types and validators from spec/";
await runScript({ name: "generate", summary, flags: FLAGS }, main);
