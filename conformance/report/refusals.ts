import { counted } from "../../src/text.ts";
import type { Report } from "./report.ts";

/** Describes the requests that the run's receiver refused, one sentence each. */
export function refusalsIn({ refusals }: Pick<Report, "refusals">): string[] {
  if (!refusals) return [];
  const { atOtherPaths, tooLarge, whenFull } = refusals;
  const deliveries = (count: number) => counted(count, "delivery", "deliveries");
  return [
    ...(atOtherPaths > 0
      ? [`${counted(atOtherPaths, "request")} at other paths (404): not counted as deliveries`]
      : []),
    ...(tooLarge > 0 ? [`${deliveries(tooLarge)} too large to keep (413)`] : []),
    ...(whenFull > 0 ? [`${deliveries(whenFull)} after the receiver was full (503)`] : []),
  ].map((what) => `the run's receiver refused ${what}`);
}
