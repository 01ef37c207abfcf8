import type { Driver } from "../conformance/driver.ts";
import sandboxDriver from "../conformance/drivers/sandbox.ts";
import { runConformance } from "../conformance/index.ts";
import type { Report } from "../conformance/reports/report.ts";
import { createSandbox, type WorldName } from "../src/sandbox/index.ts";
import { startMutant } from "./mutant.ts";
import type { Mutation } from "./mutation.ts";
import { playScripts } from "./random-scripts.ts";

/** How long is waited for what a fault may have dropped: all is on loopback. */
const PATIENCE_MS = 2_500;

/** What one run is made on. */
export interface TrialParams {
  readonly mutation?: Mutation | undefined;
  /** The fault's unless set. */
  readonly world?: WorldName | undefined;
  /** Random scripts of verbs that are played while the run listens: how many, and by what seed. */
  readonly scripts?: { readonly count: number; readonly seed: number } | undefined;
}

export interface Trial {
  readonly report: Report;
  /** How often the fault did something otherwise than the sandbox. */
  readonly fired: number;
  /** What the sandbox held against itself. */
  readonly violations: readonly string[];
}

/** Runs the whole suite, with all that it can have, against a sandbox that may have a fault. */
export async function runTrial({ mutation: fault, world, scripts }: TrialParams): Promise<Trial> {
  await using sandbox = await createSandbox({ world: world ?? fault?.world ?? "small" });
  await using faulty = await startMutant(sandbox, fault);
  const [own, second] = sandbox.accounts;
  const { baseUrl } = faulty;
  const { result } = await sandbox.trigger("link-start");
  const driver = sandboxDriver({ baseUrl });
  const report = await runConformance(
    {
      ...{ baseUrl, credentials: own, profile: "full", secondAccount: second },
      sdkCredentials: { clientId: own.sdkClientId, clientSecret: own.sdkClientSecret },
      ...{ writes: true, bankLinkId: result.bankLinkId },
      webhooks: { host: "127.0.0.1", port: 0 },
      driver: scripts ? playing(driver, () => playScripts(sandbox, scripts)) : driver,
    },
    { patienceMs: PATIENCE_MS },
  );
  return { report, fired: faulty.fired(), violations: sandbox.violations };
}

/** A driver that has something happen as soon as the run first listens. */
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
