import { undecidable } from "../../generated/exclusions.ts";
import {
  type ClaimId,
  claims as catalogue,
  claimIds,
  type RequirementId,
} from "../../generated/requirements.ts";
import type { CheckReport, ClaimReport, ClaimSummary } from "../report/report.ts";

/** The report of a check. */
export interface ReportedCheck {
  readonly report: CheckReport;
  /** Whether it was stopped or refused, so that its claims stay undecided. */
  readonly isBlocking: boolean;
}

/** The reports of all claims of a requirement, from the reports of its checks. */
export function claimReportsOf(id: RequirementId, checks: readonly ReportedCheck[]): ClaimReport[] {
  return claimIds
    .filter((claim) => catalogue[claim].requirement === id)
    .map((claim) => claimReport(claim, checks));
}

/**
 * A claim fails if one of its checks finds it violated. It passes if one of its checks decided it
 * and none was stopped or refused. Otherwise it is undecided.
 */
function claimReport(id: ClaimId, checks: readonly ReportedCheck[]): ClaimReport {
  const own = checks.flatMap(({ report, isBlocking }) => {
    const result = report.claims?.find((one) => one.id === id);
    return result ? [{ ...result, report, isBlocking }] : [];
  });
  const met = new Set(
    own.flatMap(({ verdict, situations }) => (verdict === "undecided" ? [] : situations)),
  );
  const { situations: names } = catalogue[id];
  const situations =
    names.length === 0 ? {} : { situations: names.map((name) => ({ name, met: met.has(name) })) };
  const verdicts = own.map(({ verdict }) => verdict);
  const violated = (["failed", "warned"] as const).find((one) => verdicts.includes(one));
  if (violated) return { id, verdict: violated, ...situations };
  const blocking = own.find(({ isBlocking }) => isBlocking);
  if (verdicts.includes("passed") && !blocking) return { id, verdict: "passed", ...situations };
  const skips = own.map(({ report }) => report);
  const skip = blocking?.report ?? skips.find(({ hint }) => hint !== undefined) ?? skips[0];
  const { reason = skip ? NO_CASE : (undecidable[id] ?? NO_CHECK), hint, hintOptions } = skip ?? {};
  return {
    ...{ id, verdict: "undecided", reason },
    ...(hint !== undefined && { hint }),
    ...(hintOptions !== undefined && { hintOptions }),
    ...situations,
  };
}

const NO_CHECK = "no check decides it";
const NO_CASE = "no case of it occurred";

/** Counts claims and their situations, those of excluded requirements left out. */
export function summarizeClaims(reports: readonly ClaimReport[]): ClaimSummary {
  const situations = reports.flatMap((report) => report.situations ?? []);
  const count = (...verdicts: readonly ClaimReport["verdict"][]) =>
    reports.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return {
    total: reports.length,
    decided: reports.length - count("undecided"),
    failed: count("failed", "warned"),
    situations: { total: situations.length, met: situations.filter(({ met }) => met).length },
  };
}
