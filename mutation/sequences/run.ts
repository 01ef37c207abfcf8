import { fileURLToPath } from "node:url";
import { ScriptError } from "../../scripts/run-script.ts";
import { writeAtomically } from "../../src/cli/file.ts";
import { isChosen, type Options } from "../options.ts";
import { runTasks } from "../pool.ts";
import { startProgress } from "../progress.ts";
import { sequenceFaults } from "./faults.ts";
import type { SequenceFault } from "./operations.ts";
import type { SequenceResult, SequenceTask } from "./trial.ts";

/** The share of faults that must be caught by name, with a short script. */
const LEAST = 0.95;

/** The most steps of a short script, after its opening. */
const SHORT = 5;

/** Timeout of a fault: its exploration, its shrinking and the fixed scenarios. */
const TIMEOUT_MS = 900_000;

/** How many scripts of the unmodified sandbox one task plays. */
const SCRIPTS_PER_TASK = 200;

/** The first seed of these scripts. The faults are explored with seed 1. */
const FIRST_SEED = 100;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

interface SequenceScore {
  readonly fault: SequenceFault;
  readonly result: SequenceResult;
  /** `named`: the finding names the fault's requirement, as the first one or as a consequence. */
  readonly outcome: "first" | "named" | "caught" | "missed" | "idle" | "error";
  readonly steps: number;
  /** Whether the fixed scenarios found anything, and whether they found its requirement. */
  readonly fixed: "named" | "caught" | "missed";
}

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
    ...chosen.map(({ id }, nr) => ({ nr, faultId: id })),
    ...Array.from({ length: Math.ceil(own / SCRIPTS_PER_TASK) }, (_, at) => {
      const count = Math.min(SCRIPTS_PER_TASK, own - at * SCRIPTS_PER_TASK);
      return { nr: chosen.length + at, scripts: count, seed: FIRST_SEED + at };
    }),
  ];
  const progress = startProgress(tasks.length);
  const pool = { worker: WORKER, processes, timeoutMs: TIMEOUT_MS, hung };
  const results = await runTasks<SequenceTask, SequenceResult>(tasks, pool, progress.step);
  progress.end();
  const scores = chosen.map((fault, nr) => scoreOf(fault, results.get(nr) as SequenceResult));
  const baseline = tasks.slice(chosen.length).map(({ nr }) => results.get(nr) as SequenceResult);
  console.log([...render(scores), ...renderBaseline(baseline)].join("\n"));
  if (json !== undefined) await writeAtomically(json, `${JSON.stringify(factsOf(scores))}\n`);
  return isGood(scores) && baseline.every(isQuiet) ? 0 : 1;
}

/** Whether the unmodified sandbox had no finding. */
function isQuiet({ findings, error }: SequenceResult): boolean {
  return findings.length === 0 && error === undefined;
}

function renderBaseline(baseline: readonly SequenceResult[]): string[] {
  if (baseline.length === 0) return [];
  const scripts = baseline.reduce((sum, one) => sum + one.scripts, 0);
  const findings = baseline.flatMap((one) => one.findings);
  const errors = baseline.flatMap(({ error }) => (error === undefined ? [] : [`  ${error}`]));
  return [
    ...findings.map(({ requirement, message }) => `  ${requirement}: ${message}`),
    ...errors,
    `unmodified sandbox: ${findings.length} findings in ${scripts.toLocaleString("en-US")} scripts`,
  ];
}

function hung({ nr }: SequenceTask): SequenceResult {
  const nothing = { fired: 0, scripts: 0, findings: [], fixed: [], durationMs: TIMEOUT_MS };
  return { nr, ...nothing, error: "the run hung or its process ended" };
}

/** Scores a fault by the finding of its exploration. */
export function scoreOf(fault: SequenceFault, result: SequenceResult): SequenceScore {
  const { requirement } = fault;
  const isNamed = (one: SequenceResult["findings"][number]) =>
    one.requirement === requirement || one.others.includes(requirement);
  const finding = result.findings.find(isNamed) ?? result.findings[0];
  const outcome =
    result.error !== undefined
      ? "error"
      : !finding
        ? result.fired === 0
          ? "idle"
          : "missed"
        : finding.requirement === requirement
          ? "first"
          : isNamed(finding)
            ? "named"
            : "caught";
  const fixed = result.fixed.includes(requirement)
    ? "named"
    : result.fixed.length > 0
      ? "caught"
      : "missed";
  return { fault, result, outcome, steps: finding?.steps ?? 0, fixed };
}

function isShort({ outcome, steps }: SequenceScore): boolean {
  return (outcome === "first" || outcome === "named") && steps <= SHORT;
}

function isGood(scores: readonly SequenceScore[]): boolean {
  return scores.filter(isShort).length >= LEAST * scores.length;
}

function render(scores: readonly SequenceScore[]): string[] {
  const count = (of: (score: SequenceScore) => boolean) => scores.filter(of).length;
  const lines = scores.map(({ fault, result, outcome, steps, fixed }) => {
    const [finding] = result.findings;
    const found = finding ? `${finding.requirement} in ${steps} steps` : (result.error ?? "");
    const columns = [fault.id.padEnd(38), fault.requirement.padEnd(7), outcome.padEnd(7)];
    return `${columns.join(" ")} ${found.padEnd(20)} fixed scenarios: ${fixed}`;
  });
  const all = scores.length;
  return [
    ...lines,
    "",
    `fixed scenarios: ${count(({ fixed }) => fixed !== "missed")} of ${all} caught, ` +
      `${count(({ fixed }) => fixed === "named")} by name`,
    `sequence-only: ${count(({ fixed }) => fixed !== "named")} of ${all}, which the fixed ` +
      "scenarios do not name",
    `first cause: ${count(({ outcome }) => outcome === "first")} of ${all}`,
    `sequence faults: ${count(({ result }) => result.findings.length > 0)} of ${all} caught, ` +
      `${count(({ outcome }) => outcome === "first" || outcome === "named")} by name, ` +
      `${count(isShort)} of them in at most ${SHORT} steps`,
  ];
}

function factsOf(scores: readonly SequenceScore[]): object {
  return scores.map(({ fault: { id, requirement, description }, result, ...score }) => {
    return { id, requirement, description, ...score, ...result };
  });
}
