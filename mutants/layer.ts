/**
 * `npm run mutants:layer -- FOLDER --tests FOLDER`: which share of the mutants of a layer its unit
 * tests detect. A sample with the same seed compares two states of the tests.
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { draw } from "../mutation/options.ts";
import { readPositiveInteger, runScript, ScriptError } from "../scripts/run-script.ts";
import { TempWorkspace } from "../scripts/temp-workspace.ts";
import { UsageError } from "../src/errors.ts";
import { ROOT } from "./files.ts";
import { instrument } from "./instrument.ts";

const FLAGS = {
  tests: { type: "string", value: "FOLDER", help: "the folder of the tests (default: test)" },
  except: { type: "string", value: "FOLDER", help: "leave out a folder of the layer" },
  sample: { type: "string", value: "N", help: "how many mutants are tried (default: 200)" },
  seed: { type: "string", value: "N", help: "the seed of the sample (default: 1)" },
} as const;

/** A mutant that makes a test wait for ever is detected. */
const TIMEOUT_MS = 90_000;

const summary = "changes the code of a layer, and shows which changes its unit tests detect";
const name = "mutants:layer";
await runScript({ name, summary, positionals: ["FOLDER"], flags: FLAGS }, main);

/** @returns The exit status. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: FLAGS, allowPositionals: true });
  const [folder] = positionals;
  if (!folder) throw new UsageError("the folder of a layer is missing, such as src/webhooks");
  const { tests = "test", except } = values;
  const sample = readPositiveInteger("--sample", values.sample ?? "200");
  const seed = readPositiveInteger("--seed", values.seed ?? "1");
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter(
    (file) => except === undefined || !file.startsWith(except),
  );
  const { mutants, code } = await instrument(ROOT, files);
  const workspace = new TempWorkspace();
  const { dir } = workspace;
  writeFileSync(join(dir, "code.json"), JSON.stringify(Object.fromEntries(code)));

  /** Whether the tests pass. A run that exceeds its time does not. */
  const run = (id: string | undefined, testFiles: readonly string[]): Promise<boolean> => {
    const env = {
      ...process.env,
      TXFEED_LAYER: dir,
      ...(id !== undefined && { __STRYKER_ACTIVE_MUTANT__: id }),
    };
    const config = join(import.meta.dirname, "layer.vitest.config.ts");
    const args = ["vitest", "run", "--config", config, "--bail", "1", ...testFiles];
    const timeoutMs = id === undefined ? 20 * TIMEOUT_MS : TIMEOUT_MS;
    return workspace.run("npx", args, { cwd: ROOT, env, timeoutMs }).then(
      ({ status }) => status === 0,
      () => false,
    );
  };
  if (!(await run(undefined, [tests])))
    throw new ScriptError(["mutants:layer: the tests fail without a mutant"]);
  const covering = coverage(dir);

  const chosen = draw(mutants, sample, seed);
  const todo = [...chosen];
  const missed: typeof todo = [];
  const worker = async () => {
    for (let next = todo.pop(); next; next = todo.pop()) {
      const own = covering.get(next.id) ?? [];
      if (own.length === 0 || (await run(next.id, own))) missed.push(next);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  for (const { file, line, key } of missed) console.log(`${file}:${line}  ${key}`);
  const detected = chosen.length - missed.length;
  const share = ((100 * detected) / chosen.length).toFixed(1);
  console.log(
    `${detected} of ${chosen.length} mutants detected (${share} %), of ${mutants.length}`,
  );
  return 0;
}

/** The test files that execute each mutant. */
function coverage(dir: string): Map<string, string[]> {
  const covering = new Map<string, string[]>();
  for (const name of readdirSync(dir).filter((each) => each.startsWith("covered-"))) {
    const { file, ids } = JSON.parse(readFileSync(join(dir, name), "utf8"));
    for (const id of ids) covering.set(id, [...(covering.get(id) ?? []), file]);
  }
  return covering;
}
