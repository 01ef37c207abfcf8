import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runTasks, type Task } from "../mutation/pool.ts";
import type { Baseline } from "../mutation/result.ts";
import { ScriptError } from "../scripts/run-script.ts";
import { TempWorkspace } from "../scripts/temp-workspace.ts";
import { groupsOf } from "./files.ts";
import type { Instrumented, Mutant } from "./instrument.ts";
import { isLess, type MutantTask } from "./trial.ts";

/** The timeout of a mutant: two runs of the suite that wait for deliveries which never come. */
export const TIMEOUT_MS = 180_000;

/** An endless loop evaluates a mutant more often than this many times its usual number. */
const MORE_HITS = 100;
const LEAST_HITS = 10_000;

/**
 * Measures the unmodified sandbox, which mutants are compared with.
 *
 * @returns Resolves to the folder that workers use, and the task of each mutant.
 * @throws {ScriptError} if it shows different things each time, or has findings
 */
export async function planMutants(mutants: readonly Mutant[], { code }: Instrumented) {
  const { dir } = new TempWorkspace();
  for (const [name, text] of code) {
    const file = join(dir, "code", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const baseline = await measure(dir);
  writeFileSync(join(dir, "baseline.json"), JSON.stringify(baseline));
  return { instrumented: dir, tasks: mutants.map((mutant) => taskOf(mutant, baseline)) };
}

/** Runs the unmodified sandbox, twice. */
async function measure(instrumented: string): Promise<Baseline> {
  const parts = ["scripts", "scripts", "suite", "suite"] as const;
  const tasks = parts.map((part, nr): Task => {
    return { kind: "measure", nr, part, isAlone: true };
  });
  const pool = { processes: 1, timeoutMs: TIMEOUT_MS, files: { instrumented } };
  const results = await runTasks(tasks, pool);
  const [first = {}, second, suite, again] = tasks.map(({ nr }) => {
    const { errors = [], baseline } = results.get(nr) ?? {};
    if (baseline) return baseline;
    throw new ScriptError([`mutation: the unmodified sandbox: ${errors[0]}`]);
  });
  const { traces = {}, staticHits = {}, scriptHits = {} } = first;
  for (const [name, trace] of Object.entries(traces)) {
    const other = second?.traces?.[name] ?? [];
    const at = trace.findIndex((line, nr) => line !== other[nr]);
    if (at < 0 && trace.length === other.length) continue;
    const where = `${trace[at]?.slice(0, 200)} and ${other[at]?.slice(0, 200)}`;
    throw new ScriptError([`mutation: two runs of the script ${name} differ: ${where}`]);
  }
  const verdicts = { ...suite?.verdicts };
  for (const [id, verdict] of Object.entries(again?.verdicts ?? {})) {
    if (isLess(verdict, verdicts[id])) verdicts[id] = verdict;
  }
  return { traces, staticHits, scriptHits, verdicts, suiteHits: suite?.suiteHits ?? {} };
}

/** Without a script that reaches it, a mutant is equivalent. */
function taskOf({ id, file }: Mutant, baseline: Baseline): MutantTask & { isAlone: boolean } {
  const { staticHits, scriptHits, suiteHits } = baseline;
  // What runs when its module is loaded runs once in a process.
  const isAlone = staticHits[id] !== undefined;
  const scripts = Object.keys(scriptHits).filter((name) => isAlone || scriptHits[name]?.[id]);
  const isInSuite = isAlone || suiteHits[id] !== undefined;
  const hits = [suiteHits, ...Object.values(scriptHits)].map((each) => each[id] ?? 0);
  const maxHits = LEAST_HITS + MORE_HITS * Math.max(...hits);
  const groups = groupsOf(file) ?? [];
  return { kind: "mutant", id, scripts, groups, isInSuite, isAlone, maxHits };
}
