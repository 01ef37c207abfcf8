/** A process that explores the sandbox with one fault at a time: faults patch its modules. */
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { type ExploreOptions, explore } from "../../conformance/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { startMutant } from "../mutant.ts";
import { sequenceFaults } from "./faults.ts";

/** One exploration: of the sandbox with a fault, or of the unmodified one with a seed. */
export type SequenceTask = { readonly nr: number } & (
  | { readonly faultId: string }
  | { readonly scripts: number; readonly seed: number }
);

/** The result of an exploration. */
export interface SequenceResult {
  readonly nr: number;
  /** How many times the fault took effect. */
  readonly fired: number;
  readonly scripts: number;
  /** What was found, and the number of steps of its script. */
  readonly findings: readonly {
    readonly requirement: string;
    readonly others: readonly string[];
    readonly steps: number;
    readonly message: string;
  }[];
  readonly durationMs: number;
  /** Why there is no result. */
  readonly error?: string;
}

/** Random scripts find most faults within seconds. Every short script follows, to miss none. */
const PASSES: readonly ExploreOptions[] = [
  { scripts: 400, mostFindings: 1 },
  { depth: 3, mostFindings: 1 },
];

process.on("message", async (task: SequenceTask) => {
  const { nr } = task;
  const start = performance.now();
  let found: Awaited<ReturnType<typeof exploreWith>> = { fired: 0, scripts: 0, findings: [] };
  try {
    if ("faultId" in task) {
      for (const options of PASSES) {
        if (found.findings.length > 0) break;
        const next = await exploreWith(options, task.faultId);
        const [fired, scripts] = [found.fired + next.fired, found.scripts + next.scripts];
        found = { ...next, fired, scripts };
      }
    } else found = await exploreWith(task);
  } catch (error) {
    found = { ...found, error: error instanceof Error ? error.message : String(error) };
  }
  process.send?.({ nr, ...found, durationMs: Math.round(performance.now() - start) });
});

async function exploreWith(
  options: ExploreOptions,
  faultId?: string,
): Promise<Omit<SequenceResult, "nr" | "durationMs">> {
  await using sandbox = await createSandbox({ world: "empty" });
  const fault = sequenceFaults.find(({ id }) => id === faultId);
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
