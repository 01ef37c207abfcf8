import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTasks } from "../mutation/pool.ts";
import { startProgress } from "../mutation/progress.ts";
import { ScriptError } from "../scripts/run-script.ts";
import { groupsOf } from "./files.ts";
import type { instrument, Mutant } from "./instrument.ts";
import { isLess } from "./rank.ts";
import type { Baseline, Hits, MutantTask, Result, Task, Verdict } from "./task.ts";

/** The timeout of a mutant: two runs of the suite that wait for deliveries which never come. */
const TIMEOUT_MS = 180_000;

/** An endless loop evaluates a mutant more often than this many times its usual number. */
const MORE_HITS = 100;
const LEAST_HITS = 10_000;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

const EQUIVALENT: Verdict = { outcome: "equivalent", requirements: [], durationMs: 0 };

interface RunOptions {
  /** The number of processes. */
  readonly concurrency: number;
  readonly onVerdict?: (mutant: Mutant, verdict: Verdict) => void;
}

/**
 * Runs mutants: those that no script reaches are equivalent, all others are compared with the
 * baseline, and judged by the suite if they differ.
 *
 * @returns The verdict of each mutant, by its key.
 * @throws {ScriptError} if the unmodified sandbox shows different things each time, or findings
 */
export async function runMutants(
  mutants: readonly Mutant[],
  { code }: Awaited<ReturnType<typeof instrument>>,
  { concurrency, onVerdict }: RunOptions,
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  if (mutants.length === 0) return verdicts;
  const folder = mkdtempSync(join(tmpdir(), "txfeed-mutants-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // An interrupted run removes its folder, too.
  const interrupt = () => process.exit(130);
  process.on("exit", remove).on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const run = <T extends Task>(tasks: readonly T[], onResult: (result: Result) => void) => {
    const pool = {
      ...{ worker: WORKER, args: [folder], processes: concurrency, timeoutMs: TIMEOUT_MS },
      hung: ({ nr }: T): Result => ({ nr, verdict: hungVerdict() }),
      isAlone: (task: T) => task.part !== "mutant" || task.isStatic,
      isSpent: (result: Result) => result.isSpent === true,
    };
    return runTasks<T, Result>(tasks, pool, onResult);
  };
  try {
    writeCode(folder, code);
    const baseline = await measure(run);
    writeFileSync(join(folder, "baseline.json"), JSON.stringify(baseline));
    const tasks = mutants.map((mutant, nr) => taskOf(mutant, nr, baseline));
    const reached = tasks.filter((task) => task.isStatic || task.scripts.length > 0);
    const keep = (nr: number, verdict: Verdict) => {
      const mutant = mutants[nr] as Mutant;
      verdicts.set(mutant.key, verdict);
      onVerdict?.(mutant, verdict);
    };
    for (const { nr, isStatic, scripts } of tasks) {
      if (!isStatic && scripts.length === 0) keep(nr, EQUIVALENT);
    }
    const progress = startProgress(reached.length);
    const again: MutantTask[] = [];
    const onResult = ({ nr, verdict }: Result) => {
      if (verdict) keep(nr, verdict);
      else again.push({ ...(tasks[nr] as MutantTask), isStatic: true });
      if (verdict) progress.step();
    };
    await run(reached, onResult);
    await run(again, onResult);
    progress.end();
  } finally {
    process.off("exit", remove).off("SIGINT", interrupt).off("SIGTERM", interrupt);
    remove();
  }
  return verdicts;
}

function hungVerdict(): Verdict {
  return { outcome: "timed out", requirements: [], durationMs: TIMEOUT_MS };
}

function writeCode(folder: string, code: ReadonlyMap<string, string>): void {
  for (const [name, text] of code) {
    const file = join(folder, "code", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Runs the unmodified sandbox, twice. */
async function measure(
  run: (tasks: readonly Task[], onResult: (result: Result) => void) => Promise<Map<number, Result>>,
): Promise<Baseline> {
  const tasks = (["scripts", "scripts", "suite", "suite"] as const).map((part, nr) => {
    return { nr, part };
  });
  const results = await run(tasks, () => undefined);
  const partOf = (nr: number): Partial<Baseline> => {
    const { error, baseline } = results.get(nr) ?? {};
    if (baseline) return baseline;
    throw new ScriptError([`mutants: the unmodified sandbox: ${error ?? "the run hung"}`]);
  };
  const [first, second, suite, again] = [0, 1, 2, 3].map(partOf);
  const { traces = {}, staticHits = {}, scriptHits = {} } = first ?? {};
  for (const [name, trace] of Object.entries(traces)) {
    const other = second?.traces?.[name];
    const at = trace.findIndex((line, nr) => line !== other?.[nr]);
    if (at < 0 && trace.length === other?.length) continue;
    const where = `${trace[at]?.slice(0, 200)} and ${other?.[at]?.slice(0, 200)}`;
    throw new ScriptError([`mutants: two runs of the script ${name} differ: ${where}`]);
  }
  const verdicts = { ...suite?.verdicts };
  for (const [id, verdict] of Object.entries(again?.verdicts ?? {})) {
    if (isLess(verdict, verdicts[id])) verdicts[id] = verdict;
  }
  return { traces, staticHits, scriptHits, verdicts, suiteHits: suite?.suiteHits ?? {} };
}

function taskOf({ id, file }: Mutant, nr: number, baseline: Baseline): MutantTask {
  const { staticHits, scriptHits, suiteHits } = baseline;
  const isStatic = staticHits[id] !== undefined;
  const reaching = Object.keys(scriptHits).filter((name) => isStatic || scriptHits[name]?.[id]);
  const isInSuite = isStatic || suiteHits[id] !== undefined;
  const countIn = (hits: Hits | undefined) => hits?.[id] ?? 0;
  const most = Math.max(...[suiteHits, ...Object.values(scriptHits)].map(countIn));
  const maxHits = LEAST_HITS + MORE_HITS * most;
  const part = "mutant" as const;
  return { nr, part, id, scripts: reaching, groups: groupsOf(file), isInSuite, isStatic, maxHits };
}
