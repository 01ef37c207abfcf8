import { replayEvidence, runConformance } from "../../../conformance/run/run.ts";
import type { Target } from "../../../conformance/target.ts";
import type { Evidence } from "../../../conformance/wire/evidence.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import type { HttpHook } from "../../../mutation/mutation.ts";
import {
  createControlClient,
  createSandbox,
  type Sandbox,
  type WorldName,
} from "../../../src/sandbox/index.ts";

/** The results of some requirements' checks against a sandbox, with or without a mutation. */
export interface Attempt {
  /** The checks with findings, as `AUTH-01 a fact`. */
  readonly failed: readonly string[];
  readonly passed: readonly string[];
  readonly skipped: readonly string[];
  /** The messages of the findings. */
  readonly messages: readonly string[];
  /** Whether the replayed evidence gives the same report. */
  readonly isReplayEqual: boolean;
}

export interface AttemptOptions {
  /** Groups or ids. */
  readonly only: readonly string[];
  readonly http?: HttpHook | undefined;
  readonly world?: WorldName;
  readonly target?: (sandbox: Sandbox) => Partial<Target>;
}

/** Runs the checks of some requirements with every capability. */
export async function attempt({
  only,
  http,
  world = "small",
  target,
}: AttemptOptions): Promise<Attempt> {
  await using sandbox = await createSandbox({ world });
  await using faulty = http && (await startMutant(sandbox, { http }));
  const { baseUrl, controlUrl } = faulty ?? sandbox;
  const control = createControlClient(controlUrl);
  const [own, second] = sandbox.accounts;
  const evidence: Evidence[] = [];
  const report = await runConformance(
    {
      baseUrl,
      credentials: own,
      secondAccount: second,
      sdkCredentials: { clientId: own.sdkClientId, clientSecret: own.sdkClientSecret },
      profile: "full",
      writes: true,
      driver: {
        advance: async ({ seconds }) => {
          await control.advance(`${seconds}s`);
        },
      },
      ...target?.(sandbox),
    },
    { only, onEvidence: (entry) => evidence.push(structuredClone(entry)) },
  );
  const again = await replayEvidence(evidence, { only });
  const results = report.requirements.flatMap(({ id, checks }) =>
    checks.map((check) => ({ ...check, title: `${id} ${check.name}` })),
  );
  const having = (...wanted: string[]) =>
    results.filter(({ verdict }) => wanted.includes(verdict)).map(({ title }) => title);
  return {
    failed: having("failed", "warned"),
    passed: having("passed"),
    skipped: having("skipped"),
    messages: results.flatMap(({ findings = [] }) => findings.map(({ message }) => message)),
    isReplayEqual: JSON.stringify(again.requirements) === JSON.stringify(report.requirements),
  };
}
