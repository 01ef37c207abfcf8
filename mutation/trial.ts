import type { Driver } from "../conformance/driver.ts";
import sandboxDriver from "../conformance/drivers/sandbox.ts";
import { type RunOptions, runConformance } from "../conformance/index.ts";
import { isBroken, type Report } from "../conformance/report/report.ts";
import { createSandbox, type Sandbox, type WorldName } from "../src/sandbox/index.ts";
import { startMutant } from "./mutant.ts";
import type { Operation } from "./mutation.ts";
import { playScripts } from "./random-scripts.ts";

/** How long the suite waits for a delivery. Short, because everything runs locally. */
const PATIENCE_MS = 2_500;

/** The parameters of one run. */
interface TrialParams extends Pick<RunOptions, "only" | "onEvidence"> {
  readonly mutation?: Operation | undefined;
  /** Default: the mutation's. */
  readonly world?: WorldName | undefined;
  /** Random scripts that run while the suite collects deliveries. */
  readonly scripts?: { readonly count: number; readonly seed: number } | undefined;
}

/** One run of the suite. */
export interface Trial {
  readonly report: Report;
  /** How many times the mutation took effect. */
  readonly fired: number;
  /** Inconsistencies that the sandbox reports. */
  readonly violations: readonly string[];
}

/** Runs the suite, with every option, against a sandbox with or without a mutation. */
export async function runTrial({ mutation, world, ...options }: TrialParams): Promise<Trial> {
  await using sandbox = await createSandbox({ world: world ?? mutation?.world ?? "small" });
  await using mutant = await startMutant(sandbox, mutation);
  const report = await runSuite(sandbox, { baseUrl: mutant.baseUrl, ...options });
  return { report, fired: mutant.fired(), violations: sandbox.violations };
}

/** Every claim that failed or warned. */
export function failedClaims({ requirements }: Report): string[] {
  return requirements
    .flatMap(({ claims = [] }) => claims)
    .filter(isBroken)
    .map(({ id }) => id);
}

/**
 * Runs the suite, with every option, against a sandbox.
 *
 * @param options.baseUrl The address that the suite uses. Default: the sandbox's.
 * @param options.only Groups or ids of requirements. Default: all.
 */
export async function runSuite(
  sandbox: Sandbox,
  options: { readonly baseUrl?: string } & Pick<
    TrialParams,
    "scripts" | "only" | "onEvidence"
  > = {},
): Promise<Report> {
  const { baseUrl = sandbox.baseUrl, only, scripts, onEvidence } = options;
  const [own, second] = sandbox.accounts;
  const { result } = await sandbox.trigger("link-start");
  const driver = sandboxDriver({ baseUrl });
  return await runConformance(
    {
      ...{ baseUrl, credentials: own, profile: "full", secondAccount: second },
      sdkCredentials: { clientId: own.sdkClientId, clientSecret: own.sdkClientSecret },
      ...{ writes: true, bankLinkId: result.bankLinkId },
      webhooks: { host: "127.0.0.1", port: 0 },
      driver: scripts ? playing(driver, () => playScripts(sandbox, scripts)) : driver,
    },
    { patienceMs: PATIENCE_MS, only, onEvidence },
  );
}

/** Wraps a driver to run a callback when the suite first starts to listen. */
function playing(driver: Driver, play: () => Promise<void>): Driver {
  let isPlayed = false;
  return {
    ...driver,
    async subscribe(to) {
      await driver.subscribe?.(to);
      if (isPlayed) return;
      isPlayed = true;
      await play();
    },
  };
}
