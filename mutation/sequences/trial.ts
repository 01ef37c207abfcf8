import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { type ExploreOptions, explore } from "../../conformance/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { startMutant } from "../mutant.ts";
import { runTrial } from "../trial.ts";
import { sequenceFaults } from "./faults.ts";
import type { SequenceFault } from "./operations.ts";

/** One exploration for a worker: of the sandbox with a fault, or without any. */
export type SequenceTask = { readonly nr: number } & (
  | { readonly faultId: string }
  | { readonly scripts: number; readonly seed: number }
);

/** How exploration and the fixed scenarios fared with a fault. */
export interface SequenceResult {
  readonly nr: number;
  /** How many times the fault took effect in the exploration. */
  readonly fired: number;
  readonly scripts: number;
  /** What was found, and the number of steps of its script. */
  readonly findings: readonly {
    readonly requirement: string;
    readonly others: readonly string[];
    readonly steps: number;
    readonly message: string;
  }[];
  /** The requirements that the fixed scenarios found broken. */
  readonly fixed: readonly string[];
  readonly durationMs: number;
  /** Why there is no result. */
  readonly error?: string;
}

/** Random scripts find most faults within seconds. Every short script follows, to miss none. */
const PASSES: readonly ExploreOptions[] = [
  { scripts: 400, mostFindings: 1 },
  { depth: 3, mostFindings: 1 },
];

/** Explores the sandbox. With a fault, runs the fixed scenarios against it too. */
export async function runSequence(task: SequenceTask): Promise<SequenceResult> {
  const start = performance.now();
  const { nr } = task;
  if (!("faultId" in task)) {
    const { scripts, seed } = task;
    const explored = await exploreWith(undefined, { scripts, seed });
    return { nr, ...explored, fixed: [], durationMs: Math.round(performance.now() - start) };
  }
  const fault = sequenceFaults.find(({ id }) => id === task.faultId) as SequenceFault;
  let explored = { fired: 0, scripts: 0, findings: [] as SequenceResult["findings"] };
  for (const options of PASSES) {
    if (explored.findings.length > 0) break;
    const { fired, scripts } = explored;
    const next = await exploreWith(fault, options);
    explored = { ...next, fired: fired + next.fired, scripts: scripts + next.scripts };
  }
  const { report } = await runTrial({ mutation: fault });
  const fixed = report.requirements
    .filter(({ verdict }) => verdict === "failed" || verdict === "warned")
    .map(({ id }) => id);
  return { nr, ...explored, fixed, durationMs: Math.round(performance.now() - start) };
}

async function exploreWith(fault: SequenceFault | undefined, options: ExploreOptions) {
  await using sandbox = await createSandbox({ world: "empty" });
  await using mutant = await startMutant(sandbox, fault);
  const [credentials] = sandbox.accounts;
  const { baseUrl } = mutant;
  const report = await explore(
    { baseUrl, credentials, profile: "full", driver: sandboxDriver({ baseUrl }) },
    options,
  );
  const findings = report.findings.map(({ requirement, others, script, expected, actual }) => {
    const message = `expected ${expected}, actual ${actual}`;
    return { requirement, others, steps: script.steps.length, message };
  });
  const error = report.brokenOff === undefined ? {} : { error: report.brokenOff };
  return { fired: mutant.fired(), scripts: report.scripts, findings, ...error };
}
