import { scriptedChecks } from "../../../conformance/checks/index.ts";
import type { Driver } from "../../../conformance/driver.ts";
import sandboxDriver from "../../../conformance/drivers/sandbox.ts";
import type { RunOptions } from "../../../conformance/run/run.ts";
import type { MutationHooks } from "../../../mutation/mutation.ts";
import type { SandboxOptions } from "../../../src/sandbox/index.ts";
import { checksIn, runBehind } from "../runs.ts";

/** Options of a driven run against a sandbox. */
interface DriveOptions extends Pick<RunOptions, "only"> {
  readonly sandbox?: SandboxOptions;
  readonly mutation?: MutationHooks | undefined;
  /** Replaces the sandbox's driver. */
  readonly wrap?: (driver: Driver) => Driver;
}

/** Runs the driven checks. */
export async function drive({ sandbox, mutation, wrap = (one) => one, only }: DriveOptions) {
  const run = await runBehind(mutation, {
    sandbox: { world: "empty", clock: "frozen", validate: true, ...sandbox },
    target: (baseUrl) => ({ writes: true, driver: wrap(sandboxDriver({ baseUrl })) }),
    ...{ only, patienceMs: 5_000, checks: scriptedChecks },
  });
  return { ...run, verdicts: checksIn(run.report) };
}
