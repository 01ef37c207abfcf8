import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTasks } from "../mutation/pool.ts";
import { startProgress } from "../mutation/progress.ts";
import { ScriptError } from "../scripts/run-script.ts";
import { TempWorkspace } from "../scripts/temp-workspace.ts";
import { groupsOf } from "./files.ts";
import type { instrument, Mutant } from "./instrument.ts";
import {
  type Baseline,
  isLess,
  type MutantTask,
  type Result,
  type Task,
  type Verdict,
} from "./task.ts";

/** The timeout of a mutant: two runs of the suite that wait for deliveries which never come. */
const TIMEOUT_MS = 180_000;

/** An endless loop evaluates a mutant more often than this many times its usual number. */
const MORE_HITS = 100;
const LEAST_HITS = 10_000;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

const EQUIVALENT: Verdict = { outcome: "equivalent", requirements: [], durationMs: 0 };
const HUNG: Verdict = { outcome: "timed out", requirements: [], durationMs: TIMEOUT_MS };

type Run = (
  tasks: readonly Task[],
  onResult: (result: Result) => void,
) => Promise<ReadonlyMap<number, Result>>;

/**
 * Runs mutants: those that no script reaches are equivalent, all others are compared with the
 * baseline, and judged by the suite if they differ.
 *
 * @param onVerdict Called with the verdict of each mutant.
 * @throws {ScriptError} if the unmodified sandbox shows different things each time, or findings
 */
export async function runMutants(
  mutants: readonly Mutant[],
  { code }: Awaited<ReturnType<typeof instrument>>,
  processes: number,
  onVerdict: (mutant: Mutant, verdict: Verdict) => void,
): Promise<void> {
  if (mutants.length === 0) return;
  const { dir } = new TempWorkspace();
  for (const [name, text] of code) {
    const file = join(dir, "code", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const run: Run = (tasks, onResult) =>
    runTasks<Task, Result>(
      tasks,
      {
        ...{ worker: WORKER, args: [dir], processes, timeoutMs: TIMEOUT_MS },
        hung: ({ nr }) => ({ nr, verdict: HUNG }),
        isAlone: (task) => task.part !== "mutant" || task.isStatic,
        isSpent: ({ isSpent }) => isSpent === true,
      },
      onResult,
    );
  const baseline = await measure(run);
  writeFileSync(join(dir, "baseline.json"), JSON.stringify(baseline));

  const keep = (nr: number, verdict: Verdict) => onVerdict(mutants[nr] as Mutant, verdict);
  const tasks = mutants.map((mutant, nr) => taskOf(mutant, nr, baseline));
  const isReached = ({ isStatic, scripts }: MutantTask) => isStatic || scripts.length > 0;
  for (const task of tasks) if (!isReached(task)) keep(task.nr, EQUIVALENT);
  const reached = tasks.filter(isReached);
  const progress = startProgress(reached.length);
  const again: MutantTask[] = [];
  const onResult = ({ nr, verdict }: Result) => {
    if (!verdict) return void again.push({ ...(tasks[nr] as MutantTask), isStatic: true });
    keep(nr, verdict);
    progress.step();
  };
  await run(reached, onResult);
  await run(again, onResult);
  progress.end();
}

/** Runs the unmodified sandbox, twice. */
async function measure(run: Run): Promise<Baseline> {
  const tasks = (["scripts", "scripts", "suite", "suite"] as const).map((part, nr) => {
    return { nr, part };
  });
  const results = await run(tasks, () => undefined);
  const [first = {}, second, suite, again] = tasks.map(({ nr }) => {
    const { error = "the run hung", baseline } = results.get(nr) ?? {};
    if (baseline) return baseline;
    throw new ScriptError([`mutants: the unmodified sandbox: ${error}`]);
  });
  const { traces = {}, staticHits = {}, scriptHits = {} } = first;
  for (const [name, trace] of Object.entries(traces)) {
    const other = second?.traces?.[name] ?? [];
    const at = trace.findIndex((line, nr) => line !== other[nr]);
    if (at < 0 && trace.length === other.length) continue;
    const where = `${trace[at]?.slice(0, 200)} and ${other[at]?.slice(0, 200)}`;
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
  const scripts = Object.keys(scriptHits).filter((name) => isStatic || scriptHits[name]?.[id]);
  const isInSuite = isStatic || suiteHits[id] !== undefined;
  const hits = [suiteHits, ...Object.values(scriptHits)].map((each) => each[id] ?? 0);
  const maxHits = LEAST_HITS + MORE_HITS * Math.max(...hits);
  return { nr, part: "mutant", id, scripts, groups: groupsOf(file), isInSuite, isStatic, maxHits };
}
