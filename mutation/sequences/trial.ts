import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { explore } from "../../conformance/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { startMutant } from "../mutant.ts";
import { runTrial } from "../trial.ts";
import { sequenceFaults } from "./index.ts";
import type { SequenceFault } from "./past.ts";

/** One fault, for a worker. */
export interface SequenceTask {
  readonly nr: number;
  readonly faultId: string;
}

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

/** How long scripts are begun for a fault. Most show within seconds. */
const EXPLORE_MS = 60_000;

/** Explores the sandbox with a fault, and runs the fixed scenarios against it. */
export async function runSequence({ nr, faultId }: SequenceTask): Promise<SequenceResult> {
  const start = performance.now();
  const fault = sequenceFaults.find(({ id }) => id === faultId) as SequenceFault;
  const explored = await exploreWith(fault);
  const { report } = await runTrial({ mutation: { ...fault, checks: [] } });
  const fixed = report.requirements
    .filter(({ verdict }) => verdict === "failed" || verdict === "warned")
    .map(({ id }) => id);
  return { nr, ...explored, fixed, durationMs: Math.round(performance.now() - start) };
}

async function exploreWith(fault: SequenceFault) {
  await using sandbox = await createSandbox({ world: "empty" });
  await using mutant = await startMutant(sandbox, fault);
  const [credentials] = sandbox.accounts;
  const { baseUrl } = mutant;
  const report = await explore(
    { baseUrl, credentials, profile: "full", driver: sandboxDriver({ baseUrl }) },
    { timeMs: EXPLORE_MS, mostFindings: 1 },
  );
  const findings = report.findings.map(({ requirement, others, script, expected, actual }) => {
    const message = `expected ${expected}, actual ${actual}`;
    return { requirement, others, steps: script.steps.length, message };
  });
  return { fired: mutant.fired(), scripts: report.scripts, findings };
}
