import { isBroken } from "../conformance/report/report.ts";
import type { Evidence } from "../conformance/wire/evidence.ts";
import { reasonOf } from "../src/errors.ts";
import type { WorldName } from "../src/sandbox/index.ts";
import { mutations } from "./mutations/index.ts";
import { readRun } from "./recorded-run.ts";
import { type Found, NOTHING } from "./result.ts";
import { failedClaims, runTrial, tryMutation } from "./trial.ts";

/** A run of the suite, with a bug or after random scripts. */
export interface SuiteTask {
  readonly kind: "suite";
  readonly id?: string;
  readonly world?: WorldName;
  readonly scripts?: { readonly count: number; readonly seed: number };
}

/** The recorded run of this process. */
let evidence: readonly Evidence[] | undefined;

/**
 * Runs the suite.
 *
 * @param recorded The file with the run to replay; without it, every bug runs live.
 */
export async function runSuiteTask(
  { id, world, scripts }: SuiteTask,
  recorded?: string,
): Promise<Found> {
  const mutation = mutations.find((one) => one.id === id);
  try {
    if (mutation && recorded !== undefined) evidence ??= readRun(recorded);
    const { report, fired, violations, way } =
      mutation && evidence
        ? await tryMutation(mutation, evidence)
        : { ...(await runTrial({ mutation, world, scripts })), way: "all checks" as const };
    const failing = report.requirements.filter(isBroken);
    return {
      ...{ way, fired, volume: `${report.claims.decided} claims` },
      ...{ failed: failing.map((one) => one.id), failedClaims: failedClaims(report) },
      findings: failing.map(({ id, checks }) => {
        const { name = "", actual = "" } = checks.find((one) => one.findings) ?? {};
        return `${id} ${name}: ${actual}`;
      }),
      errors: [
        ...report.suiteErrors.map((one) => `error in the suite: ${one.check}: ${one.message}`),
        ...(report.brokenOff === undefined ? [] : [`broken off: ${report.brokenOff}`]),
        // A mutation inside the sandbox may cause violations.
        ...(mutation ? [] : violations),
      ],
      // Among its own checks, a mutation has no other requirement to lead the report.
      ...(way !== "own checks" && { firstCause: report.causes[0]?.requirements[0] }),
    };
  } catch (error) {
    return { ...NOTHING, errors: [`no run: ${reasonOf(error)}`] };
  }
}
