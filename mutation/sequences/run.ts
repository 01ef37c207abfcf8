import { fileURLToPath } from "node:url";
import { ScriptError } from "../../scripts/run-script.ts";
import { writeAtomically } from "../../src/cli/file.ts";
import type { Options } from "../options.ts";
import { runTasks } from "../pool.ts";
import { startProgress } from "../progress.ts";
import { sequenceFaults } from "./index.ts";
import type { SequenceFault } from "./past.ts";
import type { SequenceResult, SequenceTask } from "./trial.ts";

/** The share of faults that must be caught by name, with a short script. */
const LEAST = 0.95;

/** The most steps of a short script, after its opening. */
const SHORT = 5;

/** Timeout of a fault: its exploration, its shrinking and the fixed scenarios. */
const TIMEOUT_MS = 240_000;

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
 * most 5 steps.
 */
export async function runSequenceFaults({
  only,
  shard,
  processes,
  json,
}: Pick<Options, "only" | "shard" | "processes" | "json">): Promise<number> {
  const wanted = only?.split(",");
  const chosen = sequenceFaults
    .filter(({ id, requirement }) => !wanted || wanted.includes(id) || wanted.includes(requirement))
    .filter((_, at) => !shard || at % shard.of === shard.nr - 1);
  if (chosen.length === 0) throw new ScriptError([`mutation: there is no sequence fault ${only}`]);
  const tasks = chosen.map(({ id }, nr): SequenceTask => ({ nr, faultId: id }));
  const progress = startProgress(tasks.length);
  const pool = { worker: WORKER, processes, timeoutMs: TIMEOUT_MS, hung };
  const results = await runTasks<SequenceTask, SequenceResult>(tasks, pool, progress.step);
  progress.end();
  const scores = chosen.map((fault, nr) => scoreOf(fault, results.get(nr) as SequenceResult));
  console.log(render(scores).join("\n"));
  if (json !== undefined) await writeAtomically(json, `${JSON.stringify(factsOf(scores))}\n`);
  return isGood(scores) ? 0 : 1;
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
