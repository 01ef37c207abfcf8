import { isBroken } from "../conformance/report/report.ts";
import type { Evidence } from "../conformance/wire/evidence.ts";
import type { WorldName } from "../src/sandbox/index.ts";
import type { Mutation } from "./mutation.ts";
import { mutations } from "./mutations/index.ts";
import type { Observed } from "./score.ts";
import { failedClaims, runTrial, type Trial, tryMutation, type Way } from "./trial.ts";

/** One run for a worker: of a mutation, or of the unmodified sandbox. */
export interface Task {
  readonly nr: number;
  readonly mutationId?: string;
  readonly world?: WorldName;
  readonly scripts?: { readonly count: number; readonly seed: number };
}

/** The result of one run. */
export interface Result extends Observed {
  readonly nr: number;
  readonly way?: Way;
  /** The first finding of each requirement that failed or warned. */
  readonly findings: readonly string[];
  /** Errors of the run itself, one line each. */
  readonly errors: readonly string[];
  /** How many claims were decided. */
  readonly decided: number;
  readonly durationMs: number;
}

/** A result without anything but an error. */
export const noResult = (nr: number, error: string, durationMs: number): Result => ({
  ...{ nr, failedClaims: [], failed: [], fired: 0, findings: [], decided: 0 },
  ...{ errors: [error], durationMs },
});

/**
 * Runs a task.
 *
 * @param recorded The evidence to replay; without it, every mutation runs live.
 */
export async function runTask(
  { nr, mutationId, ...params }: Task,
  recorded?: readonly Evidence[],
): Promise<Result> {
  const start = performance.now();
  try {
    const mutation = mutations.find(({ id }) => id === mutationId);
    const { report, fired, violations, way } = await trialOf(mutation, params, recorded);
    const failing = report.requirements.filter(isBroken);
    const findings = failing.map(({ id, checks }) => {
      const { name = "", actual = "" } = checks.find((one) => one.findings) ?? {};
      return `${id} ${name}: ${actual}`;
    });
    const errors = [
      ...report.suiteErrors.map(({ check, message }) => `error in the suite: ${check}: ${message}`),
      ...(report.brokenOff === undefined ? [] : [`broken off: ${report.brokenOff}`]),
      // A mutation inside the sandbox may cause violations.
      ...(mutation ? [] : violations),
    ];
    return {
      ...{ nr, way, findings, fired, errors, failedClaims: failedClaims(report) },
      failed: failing.map(({ id }) => id),
      // Among its own checks, a mutation has no other requirement to lead the report.
      ...(way !== "own checks" && { firstCause: report.causes[0]?.requirements[0] }),
      ...{ decided: report.claims.decided, durationMs: Math.round(performance.now() - start) },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return noResult(nr, `no run: ${why}`, Math.round(performance.now() - start));
  }
}

async function trialOf(
  mutation: Mutation | undefined,
  params: Omit<Task, "nr" | "mutationId">,
  recorded: readonly Evidence[] | undefined,
): Promise<Trial & { readonly way: Way }> {
  if (mutation && recorded) return await tryMutation(mutation, recorded);
  return { ...(await runTrial({ mutation, ...params })), way: "all checks" };
}
