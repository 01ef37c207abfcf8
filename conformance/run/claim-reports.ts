import { undecidable } from "../../generated/exclusions.ts";
import {
  type ClaimId,
  claims as catalogue,
  claimIds,
  type RequirementId,
} from "../../generated/requirements.ts";
import type { CheckReport, ClaimReport, ClaimSummary, OpenReason } from "../report/report.ts";

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
  const verdicts = own.map(({ verdict }) => verdict);
  const violated = (["failed", "warned"] as const).find((one) => verdicts.includes(one));
  const isBlocked = own.some(({ isBlocking }) => isBlocking);
  const passed = verdicts.includes("passed") && !isBlocked ? "passed" : undefined;
  const verdict = violated ?? passed ?? "undecided";
  const why = whyOpen(id, own);
  const met = new Set(own.flatMap((one) => (one.verdict === "undecided" ? [] : one.situations)));
  const { situations: names } = catalogue[id];
  return {
    ...{ id, verdict },
    ...(verdict === "undecided" && why),
    ...(names.length > 0 && {
      situations: names.map((name) =>
        met.has(name) ? { name, met: true } : { name, met: false, ...why },
      ),
    }),
  };
}

/** Why a claim is undecided, or a situation of it not met, and how to change that. */
function whyOpen(id: ClaimId, own: readonly ReportedCheck[]): OpenReason {
  const skips = own.flatMap(({ report }) => (report.verdict === "skipped" ? [report] : []));
  const skip =
    own.find(({ isBlocking }) => isBlocking)?.report ??
    skips.find(({ missing }) => missing !== undefined) ??
    skips.find(({ hint }) => hint !== undefined) ??
    skips[0];
  const noCase = own.length > 0 ? NO_CASE : (undecidable[id] ?? NO_CHECK);
  const { reason = noCase, hint, hintOptions } = skip ?? {};
  return {
    reason,
    ...(hint !== undefined && { hint }),
    ...(hintOptions !== undefined && { hintOptions }),
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
