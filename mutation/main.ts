/**
 * `npm run mutation`: runs the conformance suite against the sandbox with one bug at a time, and
 * reports which bugs it caught.
 *
 * The exit status is 1 if a mutation was missed or had no effect, if a check that must fail did
 * not, if less than 95 % failed their requirement, if less than 95 % (90 % in a shard) lead the
 * report with it, or if the unmodified sandbox had a finding.
 */
import { fileURLToPath } from "node:url";
import { runScript, ScriptError } from "../scripts/run-script.ts";
import { writeAtomically } from "../src/cli/file.ts";
import { mutations } from "./mutations/index.ts";
import { FLAGS, type Options, readOptions } from "./options.ts";
import { runTasks } from "./pool.ts";
import { startProgress } from "./progress.ts";
import { type Score, score, tally } from "./score.ts";
import { selectMutations } from "./select.ts";
import { runSequenceFaults } from "./sequences/run.ts";
import {
  type BaselineRun,
  isClean,
  renderBaseline,
  renderMutations,
  renderScore,
  renderTotals,
} from "./table.ts";
import type { Result, Task } from "./task.ts";

/** The share of mutations that must fail their requirement. */
const MIN_BY_NAME = 0.95;

/** The shares of all mutations, and of a shard, that must lead the report's first likely cause. */
const MIN_FIRST_CAUSE = { all: 0.95, shard: 0.9 };

/** How many random scripts run on one sandbox. */
const SCRIPTS_PER_RUN = 10;

/** Timeout of a run. */
const TIMEOUT_MS = 180_000;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

const summary = "runs the conformance suite against the sandbox with one bug at a time";
await runScript({ name: "mutation", summary, flags: FLAGS }, main);

/** @returns The exit status. */
async function main(): Promise<number> {
  const options = readOptions();
  if (options.sequences) return runSequenceFaults(options);
  const chosen = await selectMutations(mutations, options);
  if (chosen.length === 0) {
    if (options.only) throw new ScriptError([`mutation: there is no mutation ${options.only}`]);
    console.log("no requirement group is touched: there is nothing to run");
    return 0;
  }
  const baseline = baselineTasks(options);
  const tasks: Task[] = [
    ...baseline.map(({ task }) => task),
    ...chosen.map(({ id }) => ({ mutationId: id })),
  ].map((task, nr) => ({ nr, ...task }));

  const progress = startProgress(tasks.length);
  const pool = { worker: WORKER, processes: options.processes, timeoutMs: TIMEOUT_MS, hung };
  const results = await runTasks<Task, Result>(tasks, pool, () => progress.step());
  progress.end();

  const resultOf = (nr: number) => results.get(nr) as Result;
  const runs = baseline.map((run, nr) => {
    return { ...run, task: { nr, ...run.task }, result: resultOf(nr) };
  });
  const known = new Set(runs.flatMap(({ result }) => result.findings.map(({ id }) => id)));
  const scores = chosen.map((mutation, at) =>
    score(mutation, resultOf(baseline.length + at), known),
  );
  const isGood = isPassing(scores, runs, options);
  const lines = [
    ...renderBaseline(runs),
    ...renderMutations(scores),
    ...(scores.length > 1 ? renderTotals(scores) : []),
    ...renderScore(scores, runs, isGood),
  ];
  console.log(lines.join("\n"));
  if (options.json !== undefined) await writeJson(options.json, scores, runs);
  return isGood ? 0 : 1;
}

function hung({ nr }: Task): Result {
  const nothing = { findings: [], failedChecks: [], failedClaims: [], fired: 0 };
  return { nr, ...nothing, errors: ["the run hung or its process ended"], durationMs: TIMEOUT_MS };
}

/** The unmodified sandbox with each of its seeds, and after random scripts. */
function baselineTasks(options: Options): { name: string; task: Omit<Task, "nr"> }[] {
  const { only, shard, scripts } = options;
  const count = only ? 0 : scripts;
  const runs = Array.from({ length: Math.ceil(count / SCRIPTS_PER_RUN) }, (_, at) => {
    const first = at * SCRIPTS_PER_RUN;
    const own = Math.min(SCRIPTS_PER_RUN, count - first);
    const name = `scripts ${first + 1} to ${first + own}`;
    return { name, task: { world: "empty" as const, scripts: { count: own, seed: at + 1 } } };
  });
  const worlds = (["small", "empty", "large"] as const).map((world) => {
    return { name: `world ${world}`, task: { world } };
  });
  // One seed is enough to ignore findings that occur without a mutation.
  if (count === 0) return worlds.slice(0, 1);
  const all = [...worlds, ...runs];
  return shard ? all.filter((_, at) => at === 0 || at % shard.of === shard.nr - 1) : all;
}

function isPassing(scores: readonly Score[], runs: readonly BaselineRun[], options: Options) {
  const { mutations: all, byName, firstCause, missed, idle } = tally(scores);
  const isSound = scores.every(
    ({ result, blind }) => result.errors.length === 0 && blind.length === 0,
  );
  // The shares apply to the full set; a small selection may fall below them.
  const isNamed = options.changed !== undefined || byName >= MIN_BY_NAME * all;
  const isExplained =
    options.changed !== undefined ||
    options.only !== undefined ||
    firstCause >= MIN_FIRST_CAUSE[options.shard ? "shard" : "all"] * all;
  const isQuiet = runs.every(({ result }) => isClean(result));
  return isQuiet && isSound && missed + idle === 0 && isNamed && isExplained;
}

async function writeJson(file: string, scores: readonly Score[], runs: readonly BaselineRun[]) {
  const found = scores.map(({ mutation, outcome, others, blind, result }) => {
    const { id, requirement, description } = mutation;
    return { id, requirement, description, outcome, others, blind, ...result };
  });
  const total = tally(scores);
  await writeAtomically(
    file,
    `${JSON.stringify({ total, mutations: found, baseline: runs }, null, 2)}\n`,
  );
}
