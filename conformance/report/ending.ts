import { counted } from "../../src/text.ts";
import { isKnown } from "./baseline.ts";
import { headlinesOf } from "./headlines.ts";
import type { Report } from "./report.ts";

/**
 * The result of a run:
 * - `failed`: there is an unknown failure, or the baseline is outdated;
 * - `undecided`: nothing failed, but no check reached a verdict, there were suite errors, or a
 *   headline puts the run in doubt;
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
  const decided = summary.passed + summary.failed + summary.warned + summary.partly;
  const isDoubtful = suiteErrors.length > 0 || headlinesOf(report).length > 0;
  return decided === 0 || isDoubtful ? "undecided" : "held";
}

/** Why a run is undecided, or its failures are in doubt. */
export function undecidedBecause(report: Report): string {
  const { suiteErrors } = report;
  if (suiteErrors.length > 0) return counted(suiteErrors.length, "suite error");
  return headlinesOf(report).length > 0
    ? "the target did not do what the driver asked for"
    : "no check reached a verdict";
}
