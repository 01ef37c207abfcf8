import type { EventName } from "../../../generated/events.ts";
import { type Check, type Decides, decides, requirementOf, Skip } from "../../check.ts";
import { type History, historyOf } from "../../observe/deliveries/history.ts";
import { situationsIn } from "../../observe/situations.ts";

/** The number of cases for a check that compares deliveries, and its skip reason. */
interface HistoryCase {
  /** Counts the cases in which the requirement could be broken. */
  readonly cases: (history: History) => number;
  /** The events whose deliveries show the situations; default: none. */
  readonly events?: readonly EventName[];
  /** The skip reason if there are none. */
  readonly skipReason: string;
}

/** Creates a check that compares several deliveries. */
export function inHistory(
  what: Decides,
  title: string,
  { cases, events = [], skipReason }: HistoryCase,
): Check {
  const requirement = requirementOf(what);
  return {
    ...decides(what),
    title,
    requires: ["deliveries"],
    run: async (session) => {
      const history = await historyOf(session);
      const breaches = history.breaches.get(requirement) ?? [];
      const assertions = Math.max(cases(history), breaches.length);
      if (assertions === 0) return new Skip(skipReason);
      const { networks } = session.capabilities;
      const shown = history.deliveries.filter(({ name }) => events.some((one) => one === name));
      const situations = shown.flatMap((delivery) => {
        return situationsIn(delivery, networks, history.deliveries);
      });
      return { assertions, breaches, situations };
    },
  };
}
