import { fileURLToPath } from "node:url";
import { ScriptError } from "../../scripts/run-script.ts";
import { writeAtomically } from "../../src/cli/file.ts";
import { isChosen, type Options } from "../options.ts";
import { runTasks } from "../pool.ts";
import { startProgress } from "../progress.ts";
import { score, tally } from "../score.ts";
import { renderFaults } from "../table.ts";
import { sequenceFaults } from "./faults.ts";
import type { SequenceResult, SequenceTask } from "./worker.ts";

/** The share of faults that must be caught by name, with a short script. */
const LEAST = 0.95;

/** The most steps of a short script, after its opening. */
const SHORT = 5;

/** Timeout of a fault: its exploration and its shrinking. */
const TIMEOUT_MS = 900_000;

/** How many scripts of the unmodified sandbox one task plays. */
const SCRIPTS_PER_TASK = 200;

/** The first seed of these scripts. The faults are explored with seed 1. */
const FIRST_SEED = 100;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/**
 * Explores the sandbox with one sequence fault at a time.
 *
 * @returns Resolves to the exit status: 1 if less than 95 % were caught by name with a script of at
 * most 5 steps, or if the unmodified sandbox had a finding.
 */
export async function runSequenceFaults({
  only,
  processes,
  json,
  scripts,
}: Pick<Options, "only" | "processes" | "json" | "scripts">): Promise<number> {
  const chosen = sequenceFaults.filter((fault) => isChosen(fault, { only }));
  if (chosen.length === 0) throw new ScriptError([`mutation: there is no sequence fault ${only}`]);
  const own = only === undefined ? scripts : 0;
  const tasks: SequenceTask[] = [
    ...chosen.map(({ id }) => ({ faultId: id })),
    ...Array.from({ length: Math.ceil(own / SCRIPTS_PER_TASK) }, (_, at) => {
      const count = Math.min(SCRIPTS_PER_TASK, own - at * SCRIPTS_PER_TASK);
      return { scripts: count, seed: FIRST_SEED + at };
    }),
  ].map((task, nr) => ({ nr, ...task }));
  const progress = startProgress(tasks.length);
  const pool = { worker: WORKER, processes, timeoutMs: TIMEOUT_MS, hung };
  const results = await runTasks<SequenceTask, SequenceResult>(tasks, pool, progress.step);
  progress.end();
  const resultOf = ({ nr }: SequenceTask) => results.get(nr) as SequenceResult;
  const baseline = tasks.slice(chosen.length).map(resultOf);
  const all = chosen.map((fault, nr) => {
    const { findings, error, fired, ...result } = results.get(nr) as SequenceResult;
    const shown = findings.find((one) => idsOf(one).includes(fault.requirement)) ?? findings[0];
    const firstCause = shown?.requirement;
    const failed = findings.flatMap(idsOf);
    const errors = error === undefined ? [] : [error];
    return {
      fault,
      // A finding shows one claim of each requirement, so that others are no gaps.
      score: score({ ...fault, claims: [] }, { failedClaims: [], failed, firstCause, fired }),
      result: { ...result, findings, fired, errors, ...(firstCause && { firstCause }) },
      steps: shown?.steps ?? 0,
    };
  });
  const short = all.filter(({ score: { outcome }, result: { errors }, steps }) => {
    return outcome === "by name" && errors.length === 0 && steps <= SHORT;
  });
  const { byName, firstCause } = tally(all.map((one) => one.score));
  const played = baseline.reduce((sum, one) => sum + one.scripts, 0);
  const wrong = baseline.flatMap(({ findings, error }) => [
    ...findings.map(({ requirement, message }) => `  ${requirement}: ${message}`),
    ...(error === undefined ? [] : [`  ${error}`]),
  ]);
  const totals = [
    `${all.length} sequence faults: ${byName} by name, first cause right: ${firstCause}`,
    `${short.length} by name in at most ${SHORT} steps`,
    `unmodified sandbox: ${wrong.length} findings in ${played.toLocaleString("en-US")} scripts`,
  ];
  console.log([...renderFaults(all), ...wrong, totals.join("; ")].join("\n"));
  if (json !== undefined) {
    const facts = all.map(({ fault: { id, requirement, claims, description }, ...one }) => {
      return {
        id,
        requirement,
        claims,
        description,
        ...one.score,
        steps: one.steps,
        ...one.result,
      };
    });
    await writeAtomically(json, `${JSON.stringify(facts)}\n`);
  }
  return short.length >= LEAST * all.length && wrong.length === 0 ? 0 : 1;
}

/** The requirements that a finding names. */
function idsOf({ requirement, others }: SequenceResult["findings"][number]): readonly string[] {
  return [requirement, ...others];
}

function hung({ nr }: SequenceTask): SequenceResult {
  const error = "the run hung or its process ended";
  return { nr, fired: 0, scripts: 0, findings: [], durationMs: TIMEOUT_MS, error };
}
