import { isKnown } from "./baseline.ts";
import type { Report } from "./report.ts";

/**
 * What a run comes to:
 * - `failed`: something does not hold that is not known, or the baseline is not true any more;
 * - `undecided`: no check could run to a verdict, or faults of the suite kept some from it and
 *   nothing failed;
 * - `held`: nothing does not hold, or all that does not is known.
 */
export type Ending = "held" | "failed" | "undecided";

export function endingOf(report: Report): Ending {
  const { requirements, baseline, summary, faults } = report;
  const isFailure = requirements.some(
    ({ id, verdict }) => verdict === "failed" && !isKnown(report, id),
  );
  if (isFailure || (baseline && baseline.stale.length + baseline.expired.length > 0)) {
    return "failed";
  }
  const decided = summary.passed + summary.failed + summary.warned;
  return decided === 0 || faults.length > 0 ? "undecided" : "held";
}
