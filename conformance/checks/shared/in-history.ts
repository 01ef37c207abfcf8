import type { RequirementId } from "../../../generated/requirements.ts";
import { type Check, Skip } from "../../check.ts";
import { type History, historyOf } from "../../deliveries/history.ts";

/** The cases of a check that compares deliveries. */
interface HistoryCase {
  /** The number of cases in which the requirement could have been broken. */
  readonly cases: (history: History) => number;
  /** Why there was none. */
  readonly unseen: string;
}

/** Checks a requirement by comparing several deliveries. */
export function inHistory(
  requirement: RequirementId,
  title: string,
  { cases, unseen }: HistoryCase,
): Check {
  return {
    requirement,
    title,
    requires: ["deliveries"],
    alternative: true,
    run: async (session) => {
      const history = await historyOf(session);
      const breaches = history.breaches.get(requirement) ?? [];
      const looked = Math.max(cases(history), breaches.length);
      return looked === 0 ? new Skip(unseen) : { assertions: looked, breaches };
    },
  };
}
