import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { runTasks, type Task } from "../mutation/pool.ts";
import type { Baseline, MissedAs, Score } from "../mutation/score.ts";
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

/** The classes, by keys, or by beginnings of keys, which end in `*`. */
type Classified = ReadonlyMap<string, MissedAs>;

/** The class of a mutant: that of its own entry, or of the longest beginning of its key. */
export function classOf(classified: Classified, key: string): MissedAs | undefined {
  const own = classified.get(key);
  if (own) return own;
  const starts = [...classified.keys()].filter((entry) => isStartOf(entry, key));
  const [longest = ""] = starts.toSorted((one, other) => other.length - one.length);
  return classified.get(longest);
}

const isStartOf = (entry: string, key: string) =>
  entry.endsWith("*") && key.startsWith(entry.slice(0, -1));

/**
 * Reads `classified.yaml`.
 *
 * @throws {ScriptError} one line for each wrong entry
 */
export function readClassified(file: URL | string): Classified {
  const entries: unknown = parse(readFileSync(file, "utf8")) ?? [];
  const classified = new Map<string, MissedAs>();
  const wrong = (Array.isArray(entries) ? entries : [entries]).flatMap((entry, at) => {
    const { as, reading, why, mutants } = Object(entry);
    const keys: string[] = Array.isArray(mutants) ? mutants : [];
    const problem = !["open", "control", "gap"].includes(as)
      ? "as must be open, control or gap"
      : !(as === "open" ? reading : why)
        ? `${as === "open" ? "reading" : "why"} is missing`
        : keys.length === 0
          ? "mutants must be a list of keys"
          : keys.find((key) => classified.has(key));
    for (const key of keys) classified.set(key, as);
    return problem ? [`mutants: classified.yaml: entry ${at + 1}: ${problem}`] : [];
  });
  if (wrong.length > 0) throw new ScriptError(wrong);
  return classified;
}

/**
 * The entries that no longer apply, a line each.
 *
 * @param keys The keys of all mutants.
 * @param scores The scores of this run.
 */
export function staleEntries(
  classified: Classified,
  keys: ReadonlySet<string>,
  scores: ReadonlyMap<string, Score>,
): string[] {
  return [...classified.keys()].flatMap((key) => {
    if (key.endsWith("*")) {
      const isInUse = [...keys].some((one) => isStartOf(key, one));
      return isInUse ? [] : [`stale: there is no mutant ${key}`];
    }
    if (!keys.has(key)) return [`stale: there is no mutant ${key}`];
    const outcome = scores.get(key)?.outcome;
    const isMissed = outcome === undefined || outcome === classified.get(key);
    return isMissed ? [] : [`stale: ${outcome}: ${key}`];
  });
}
