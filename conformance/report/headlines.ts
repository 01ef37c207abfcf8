import type { RequirementId } from "../../generated/requirements.ts";
import { counted } from "../../src/text.ts";
import type { Report } from "./report.ts";

/** Something that puts the whole run in doubt, for the top of a report. */
export interface Headline {
  readonly text: string;
  /** The requirements that it leaves undecided. */
  readonly requirements: readonly RequirementId[];
}

/** With less than one delivery for this many steps, nearly nothing was delivered. */
const STEPS_PER_DELIVERY = 10;

/**
 * Returns what puts the run in doubt: nearly nothing was delivered, or the target accepted a verb
 * of the driver but its promised effect did not occur.
 */
export function headlinesOf(report: Pick<Report, "activity" | "requirements">): Headline[] {
  return [...silence(report), ...unmetPromises(report)];
}

function silence({ activity }: Pick<Report, "activity">): Headline[] {
  if (!activity || activity.deliveries * STEPS_PER_DELIVERY >= activity.steps) return [];
  const { deliveries, steps } = activity;
  const got =
    deliveries === 0
      ? "Nothing was delivered"
      : `Nearly nothing was delivered: ${counted(deliveries, "delivery", "deliveries")}`;
  const text =
    `${got} after ${counted(steps, "step")} that must send events. ` +
    "Check that the target delivers every event to the URL of the run's receiver.";
  return [{ text, requirements: [] }];
}

function unmetPromises({ requirements }: Pick<Report, "requirements">): Headline[] {
  const unmet = requirements.flatMap(({ id, checks }) =>
    checks.flatMap(({ unmet: isUnmet, reason = "" }) => (isUnmet ? [{ id, reason }] : [])),
  );
  return [...Map.groupBy(unmet, ({ reason }) => reason)].map(([reason, members]) => ({
    text: `The target accepted a verb of the driver, but its effect did not occur: ${reason}`,
    requirements: [...new Set(members.map(({ id }) => id))],
  }));
}
