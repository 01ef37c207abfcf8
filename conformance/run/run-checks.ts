import { exclusions } from "../../generated/exclusions.ts";
import { type RequirementId, requirementIds } from "../../generated/requirements.ts";
import { type Check, requirementOf } from "../check.ts";
import { causesOf } from "../report/causes.ts";
import {
  type CheckReport,
  type ClaimReport,
  groupOf,
  type Report,
  type RequirementReport,
  type Verdict,
} from "../report/report.ts";
import { CheckRunner, phaseOf, phases } from "./check-runner.ts";
import { claimReportsOf, summarizeClaims } from "./claim-reports.ts";
import type { Session } from "./session.ts";

/** Options of running checks. */
export interface CheckRunOptions {
  /** Groups or ids; default: all. */
  readonly only?: readonly string[] | undefined;
  /** Whether a violation of a derived requirement is a failure instead of a warning. */
  readonly strict?: boolean | undefined;
  /** Called after each check. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Awaited before the checks that compare all deliveries. */
  readonly beforeCompare?: (() => Promise<void>) | undefined;
}

export interface Progress {
  readonly done: number;
  readonly of: number;
  /** The requirement of the last check. */
  readonly requirement: RequirementId;
}

/** The results of all checks. */
export type CheckResults = Pick<
  Report,
  | "summary"
  | "claims"
  | "checks"
  | "assertions"
  | "requirements"
  | "causes"
  | "suiteErrors"
  | "traffic"
>;

/**
 * Runs checks in a session, live or replayed. First come the checks that only send requests, then
 * those that drive the target, one at a time, then those that compare deliveries.
 */
export async function runChecks(
  checks: readonly Check[],
  session: Session,
  { only, strict, onProgress = () => {}, beforeCompare }: CheckRunOptions = {},
): Promise<CheckResults> {
  const chosen = checks.filter((check) => isSelected(requirementOf(check), only));
  const runner = new CheckRunner(session, strict);
  let done = 0;
  const run = async (check: Check) => {
    await runner.run(check);
    done += 1;
    onProgress({ done, of: chosen.length, requirement: requirementOf(check) });
  };
  for (const phase of phases) {
    if (phase === "compare") await beforeCompare?.();
    await all(chosen.filter((check) => phaseOf(check) === phase).map(run));
  }

  const verdicts: RequirementReport[] = [];
  for (const id of requirementIds) {
    const own = chosen.filter((check) => requirementOf(check) === id);
    verdicts.push(await requirementReport(runner, id, own, only));
  }
  const traffic = runner.traffic();
  const decided = [...runner.reports.values()].filter(({ verdict }) => verdict !== "skipped");
  return {
    summary: summarize(verdicts),
    claims: summarizeClaims(verdicts.flatMap((one) => one.claims ?? [])),
    checks: decided.length,
    assertions: decided.reduce((sum, { assertions = 0 }) => sum + assertions, 0),
    requirements: verdicts,
    causes: causesOf(verdicts, traffic),
    suiteErrors: runner.suiteErrors,
    traffic,
  };
}

/** Waits until all have ended, then rejects with the first error. */
async function all(running: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(running);
  await Promise.all(running);
}

/**
 * Whether a run checks a requirement.
 *
 * @param only Groups or ids; undefined for all.
 */
export function isSelected(id: RequirementId, only: readonly string[] | undefined): boolean {
  return only === undefined || only.includes(id) || only.includes(groupOf(id));
}

/** Derives the verdict of a requirement from the reports of its checks. */
async function requirementReport(
  runner: CheckRunner,
  id: RequirementId,
  own: readonly Check[],
  only: readonly string[] | undefined,
): Promise<RequirementReport> {
  const excluded = exclusions[id];
  if (excluded !== undefined) return { id, verdict: "excluded", reason: excluded, checks: [] };
  if (!isSelected(id, only)) {
    return { id, verdict: "skipped", reason: "not selected", checks: [] };
  }
  const checks = own.map((check) => runner.reports.get(check) as CheckReport);
  const claims = claimReportsOf(
    id,
    own.map((check) => {
      const report = runner.reports.get(check) as CheckReport;
      return { report, isBlocking: runner.isBlocking(report) };
    }),
  );
  const stray = await runner.runCatchAll(id);
  if (stray) checks.push(stray);
  return requirementByClaims(id, claims, checks);
}

/** A requirement passes if each of its claims is decided, and partly if some are. */
function requirementByClaims(
  id: RequirementId,
  claims: readonly ClaimReport[],
  checks: readonly CheckReport[],
): RequirementReport {
  const worst = (["failed", "warned"] as const).find((wanted) =>
    checks.some(({ verdict }) => verdict === wanted),
  );
  if (worst) return { id, verdict: worst, claims, checks };
  const undecided = claims.filter(({ verdict }) => verdict === "undecided");
  const [first] = undecided;
  if (!first) return { id, verdict: "passed", claims, checks };
  const { reason = "", hint, hintOptions } = first;
  return {
    id,
    verdict: undecided.length < claims.length ? "partly" : "skipped",
    reason,
    ...(hint !== undefined && { hint }),
    ...(hintOptions !== undefined && { hintOptions }),
    claims,
    checks,
  };
}

function summarize(reports: readonly RequirementReport[]): Record<Verdict, number> {
  const summary = { passed: 0, failed: 0, warned: 0, partly: 0, skipped: 0, excluded: 0 };
  for (const { verdict } of reports) summary[verdict] += 1;
  return summary;
}
