import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";

/** One row of a transition table: the next state, and the events that announce it. */
export interface Transition<State extends string = string, Trigger extends string = string> {
  readonly trigger: Trigger;
  /** The states in which the trigger applies; `new` creates the resource. */
  readonly from: readonly (State | "new")[];
  readonly to: State;
  readonly sends: readonly EventName[];
  readonly requirement: RequirementId;
}

/** The rows of a table that belong to a trigger. */
export type TransitionOf<Row extends Transition, Trigger extends Row["trigger"]> = Extract<
  Row,
  { readonly trigger: Trigger }
>;

/** Whether a trigger applies in a state. */
export function applies(rows: readonly Transition[], trigger: string, from: string): boolean {
  return rows.some((row) => row.trigger === trigger && row.from.includes(from));
}

/**
 * Finds the transition of a trigger.
 *
 * @param what the resource, for the error message
 * @throws {RangeError} if the trigger does not apply in the state
 */
export function transitionOf<Row extends Transition, Trigger extends Row["trigger"]>(
  rows: readonly Row[],
  trigger: Trigger,
  from: string,
  what = "it",
): TransitionOf<Row, Trigger> {
  const ofTrigger = rows.filter((row): row is TransitionOf<Row, Trigger> => {
    return row.trigger === trigger;
  });
  const found = ofTrigger.find((row) => row.from.includes(from));
  if (found) return found;
  const states = ofTrigger.flatMap((row) => row.from);
  throw new RangeError(`${trigger} applies to ${states.join(" or ")}, but ${what} is ${from}`);
}
