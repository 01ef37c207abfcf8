/**
 * `npm run mutation`: runs the conformance suite against the sandbox with one bug at a time, and
 * reports which bugs it caught. Bugs of responses and deliveries are applied to one recorded run.
 *
 * The exit status is 1 if a mutation was missed or had no effect, if one of its claims did not
 * fail, if less than 95 % failed their requirement, if less than 90 % lead the report with it, or
 * if the unmodified sandbox had a finding.
 */
import { fileURLToPath } from "node:url";
import { runScript, ScriptError } from "../scripts/run-script.ts";
import { writeAtomically } from "../src/cli/file.ts";
import { mutations } from "./mutations/index.ts";
import { FLAGS, isChosen, readOptions } from "./options.ts";
import { runTasks } from "./pool.ts";
import { startProgress } from "./progress.ts";
import { recordedRun } from "./recorded-run.ts";
import { isPassing, score, tally } from "./score.ts";
import { runSequenceFaults } from "./sequences/run.ts";
import { isClean, renderBaseline, renderFaults, renderScore, renderTotals } from "./table.ts";
import { noResult, type Result, type Task } from "./task.ts";

/** How many random scripts run on one sandbox. */
const SCRIPTS_PER_RUN = 10;

/** Timeout of a run. */
const TIMEOUT_MS = 180_000;

/** How many mutations are listed even if they are caught by name. */
const MAX_LISTED = 40;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

const summary = "runs the conformance suite against the sandbox with one bug at a time";
await runScript({ name: "mutation", summary, flags: FLAGS }, main);

/** @returns The exit status. */
async function main(): Promise<number> {
  const options = readOptions();
  const { only, live, processes, json } = options;
  if (options.sequences) return runSequenceFaults(options);
  const chosen = mutations.filter((mutation) => isChosen(mutation, options));
  if (chosen.length === 0) throw new ScriptError([`mutation: there is no mutation ${only}`]);
  // One seed is enough for a selection.
  const baseline = only === undefined ? baselineRuns(options.scripts) : baselineRuns(0).slice(0, 1);
  const tasks: Task[] = [
    ...baseline.map(({ task }) => task),
    ...chosen.map(({ id }) => ({ mutationId: id })),
  ].map((task, nr) => ({ nr, ...task }));

  const args = live ? [] : [await recordedRun()];
  const progress = startProgress(tasks.length);
  const hung = ({ nr }: Task) => noResult(nr, "the run hung or its process ended", TIMEOUT_MS);
  const pool = { worker: WORKER, args, processes, timeoutMs: TIMEOUT_MS, hung };
  const results = await runTasks<Task, Result>(tasks, pool, () => progress.step());
  progress.end();

  const resultOf = (nr: number) => results.get(nr) as Result;
  const runs = baseline.map(({ name }, nr) => ({ name, result: resultOf(nr) }));
  const all = chosen.map((fault, at) => {
    const result = resultOf(baseline.length + at);
    return { fault, result, score: score(fault, result) };
  });
  const scores = all.map((one) => one.score);
  const isSound = [...runs, ...all].every(({ result }) => result.errors.length === 0);
  const isQuiet = runs.every(({ result }) => isClean(result));
  const isGood = isSound && isQuiet && isPassing(scores, only !== undefined);
  const isNotable = (one: (typeof all)[number]) =>
    one.score.outcome !== "by name" || one.score.blind.length + one.result.errors.length > 0;
  const lines = [
    ...renderBaseline(runs),
    ...renderFaults(all.length > MAX_LISTED ? all.filter(isNotable) : all),
    ...(all.length > 1 ? renderTotals(all) : []),
    ...renderScore(all, runs, isGood),
  ];
  console.log(lines.join("\n"));
  if (json !== undefined) {
    const found = all.map(({ fault: { id, requirement, claims, description }, ...one }) => {
      return { id, requirement, claims, description, ...one.score, ...one.result };
    });
    const facts = { total: tally(scores), mutations: found, baseline: runs };
    await writeAtomically(json, `${JSON.stringify(facts, null, 2)}\n`);
  }
  return isGood ? 0 : 1;
}

/** The unmodified sandbox with each of its seeds, and after random scripts. */
function baselineRuns(scripts: number): { name: string; task: Omit<Task, "nr"> }[] {
  const worlds = (["small", "empty", "large"] as const).map((world) => {
    return { name: `world ${world}`, task: { world } };
  });
  const played = Array.from({ length: Math.ceil(scripts / SCRIPTS_PER_RUN) }, (_, at) => {
    const first = at * SCRIPTS_PER_RUN;
    const count = Math.min(SCRIPTS_PER_RUN, scripts - first);
    const task = { world: "empty" as const, scripts: { count, seed: at + 1 } };
    return { name: `scripts ${first + 1} to ${first + count}`, task };
  });
  return [...worlds, ...played];
}
