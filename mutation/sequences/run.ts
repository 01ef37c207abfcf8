import { fileURLToPath } from "node:url";
import { ScriptError } from "../../scripts/run-script.ts";
import { writeAtomically } from "../../src/cli/file.ts";
import { isChosen, type Options } from "../options.ts";
import { runTasks } from "../pool.ts";
import { startProgress } from "../progress.ts";
import { sequenceFaults } from "./faults.ts";
import type { SequenceFault } from "./operations.ts";
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
  const scores = chosen.map((fault, nr) => {
    const result = results.get(nr) as SequenceResult;
    return { fault, result, ...scoreOf(fault, result) };
  });
  const all = scores.length;
  const firsts = scores.filter(({ outcome }) => outcome === "first");
  const named = scores.filter(({ outcome }) => outcome === "first" || outcome === "named");
  const short = named.filter(({ steps }) => steps <= SHORT);
  const lines = scores.map(({ fault, result, outcome, steps }) => {
    const [finding] = result.findings;
    const found = finding ? `${finding.requirement} in ${steps} steps` : (result.error ?? "");
    return `${fault.id.padEnd(38)} ${fault.requirement.padEnd(7)} ${outcome.padEnd(7)} ${found}`;
  });
  const played = baseline.reduce((sum, one) => sum + one.scripts, 0);
  const wrong = baseline.flatMap(({ findings, error }) => [
    ...findings.map(({ requirement, message }) => `  ${requirement}: ${message}`),
    ...(error === undefined ? [] : [`  ${error}`]),
  ]);
  const totals = [
    `${all} sequence faults: first cause right: ${firsts.length}`,
    `${named.length} by name, ${short.length} of them in at most ${SHORT} steps`,
    `unmodified sandbox: ${wrong.length} findings in ${played.toLocaleString("en-US")} scripts`,
  ];
  console.log([...lines, ...wrong, "", totals.join("; ")].join("\n"));
  if (json !== undefined) {
    const facts = scores.map(({ fault: { id, requirement, description }, result, ...score }) => {
      return { id, requirement, description, ...score, ...result };
    });
    await writeAtomically(json, `${JSON.stringify(facts)}\n`);
  }
  return short.length >= LEAST * all && wrong.length === 0 ? 0 : 1;
}

function hung({ nr }: SequenceTask): SequenceResult {
  const error = "the run hung or its process ended";
  return { nr, fired: 0, scripts: 0, findings: [], durationMs: TIMEOUT_MS, error };
}

/** `named`: a finding names the fault's requirement, as the first one or as a consequence. */
type Outcome = "first" | "named" | "caught" | "missed" | "idle" | "error";

/** Scores a fault by the finding of its exploration, and the number of steps that show it. */
export function scoreOf(
  { requirement }: SequenceFault,
  { findings, error, fired }: SequenceResult,
): { readonly outcome: Outcome; readonly steps: number } {
  if (error !== undefined) return { outcome: "error", steps: 0 };
  const named = findings.find(({ requirement: first, others }) => {
    return first === requirement || others.includes(requirement);
  });
  const { steps = 0 } = named ?? findings[0] ?? {};
  if (named) return { outcome: named.requirement === requirement ? "first" : "named", steps };
  if (findings.length > 0) return { outcome: "caught", steps };
  return { outcome: fired === 0 ? "idle" : "missed", steps };
}
