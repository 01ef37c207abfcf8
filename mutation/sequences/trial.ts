import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { type ExploreOptions, type ExploreReport, explore } from "../../conformance/index.ts";
import { reasonOf } from "../../src/errors.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { startMutant } from "../mutant.ts";
import type { Mutation } from "../mutation.ts";
import { type Found, NOTHING } from "../result.ts";
import { sequenceFaults } from "./faults.ts";

/** An exploration of the sandbox with a bug, or of the unmodified one with a seed. */
export interface ExploreTask {
  readonly kind: "explore";
  readonly id?: string;
  readonly scripts?: { readonly count: number; readonly seed: number };
}

/** Random scripts find most bugs within seconds. Every short script follows, to miss none. */
const PASSES: readonly ExploreOptions[] = [
  { scripts: 600, mostFindings: 1 },
  { depth: 3, mostFindings: 1 },
];

export async function runExploration(task: ExploreTask): Promise<Found> {
  const fault = sequenceFaults.find(({ id }) => id === task.id);
  const { count, seed } = task.scripts ?? {};
  let [fired, played] = [0, 0];
  try {
    let report: ExploreReport | undefined;
    for (const options of fault ? PASSES : [{ scripts: count, seed }]) {
      if (report?.findings.length) break;
      const next = await exploreWith(options, fault);
      [fired, played, report] = [fired + next.fired, played + next.report.scripts, next.report];
    }
    const { findings = [], brokenOff } = report ?? {};
    const shown = findings.find((one) => fault && idsOf(one).includes(fault.requirement));
    const first = shown ?? findings[0];
    return {
      ...NOTHING,
      ...{ fired, volume: `${played} scripts`, way: "explored" },
      failed: findings.flatMap(idsOf),
      findings: findings.map(({ requirement, expected, actual }) => {
        return `${requirement}: expected ${expected}, actual ${actual}`;
      }),
      errors: brokenOff === undefined ? [] : [brokenOff],
      ...(first && { firstCause: first.requirement, steps: first.script.steps.length }),
    };
  } catch (error) {
    return { ...NOTHING, fired, errors: [reasonOf(error)] };
  }
}

/** The requirements that a finding names. */
function idsOf({ requirement, others }: ExploreReport["findings"][number]): readonly string[] {
  return [requirement, ...others];
}

async function exploreWith(options: ExploreOptions, fault: Mutation | undefined) {
  await using sandbox = await createSandbox({ world: "empty" });
  await using mutant = await startMutant(sandbox, fault);
  const { baseUrl } = mutant;
  const [credentials] = sandbox.accounts;
  const driver = sandboxDriver({ baseUrl });
  const report = await explore({ baseUrl, credentials, profile: "full", driver }, options);
  return { report, fired: mutant.fired() };
}
