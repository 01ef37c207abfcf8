import type { Check } from "../../../conformance/check.ts";
import { scriptedChecks } from "../../../conformance/checks/index.ts";
import type { Driver } from "../../../conformance/driver.ts";
import sandboxDriver from "../../../conformance/drivers/sandbox.ts";
import type { Evidence } from "../../../conformance/index.ts";
import { type RunOptions, runConformance } from "../../../conformance/run/run.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import type { MutationHooks } from "../../../mutation/mutation.ts";
import { createSandbox, type SandboxOptions } from "../../../src/sandbox/index.ts";

/** Options of a driven run against a sandbox. */
interface DriveOptions extends Pick<RunOptions, "only"> {
  readonly sandbox?: SandboxOptions;
  readonly mutation?: MutationHooks | undefined;
  /** Replaces the sandbox's driver. */
  readonly wrap?: ((driver: Driver) => Driver) | undefined;
  readonly checks?: readonly Check[];
  readonly patienceMs?: number;
}

/** Runs the driven checks. Returns the report, the evidence, and the violations of the sandbox. */
export async function drive({
  sandbox: sandboxOptions,
  mutation,
  wrap = (driver) => driver,
  only,
  checks = scriptedChecks,
  patienceMs = 5_000,
}: DriveOptions) {
  await using sandbox = await createSandbox({
    ...{ world: "empty", clock: "frozen", validate: true },
    ...sandboxOptions,
  });
  await using mutant = await startMutant(sandbox, mutation);
  const { baseUrl } = mutant;
  const [credentials] = sandbox.accounts;
  const evidence: Evidence[] = [];
  const report = await runConformance(
    {
      ...{ baseUrl, credentials, profile: "full", writes: true },
      driver: wrap(sandboxDriver({ baseUrl })),
    },
    { only, patienceMs, onEvidence: (entry) => evidence.push(entry) },
    checks,
  );
  const verdicts = new Map(
    report.requirements.flatMap(({ id, checks: own }) =>
      own.map((check) => [`${id}: ${check.name}`, check] as const),
    ),
  );
  return { report, evidence, verdicts, violations: sandbox.violations };
}
