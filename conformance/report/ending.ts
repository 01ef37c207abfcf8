import { isKnown } from "./baseline.ts";
import type { Report } from "./report.ts";

/**
 * The result of a run:
 * - `failed`: there is an unknown failure, or the baseline is outdated;
 * - `undecided`: no check reached a verdict, or nothing failed but there were suite errors;
 * - `held`: there are no failures except known ones.
 */
export type Ending = "held" | "failed" | "undecided";

export function endingOf(report: Report): Ending {
  const { requirements, baseline, summary, suiteErrors } = report;
  const isFailure = requirements.some(
    ({ id, verdict }) => verdict === "failed" && !isKnown(report, id),
  );
  if (isFailure || (baseline && baseline.stale.length + baseline.expired.length > 0)) {
    return "failed";
  }
  const decided = summary.passed + summary.failed + summary.warned;
  return decided === 0 || suiteErrors.length > 0 ? "undecided" : "held";
}
