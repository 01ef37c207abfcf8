import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { conflict } from "./refusal.ts";

/** One row of a resource's table of states: what leads from where to where, and what is sent. */
export interface Transition<State extends string = string, Trigger extends string = string> {
  readonly trigger: Trigger;
  /** The states that it applies in; `new` where the resource begins. */
  readonly from: readonly (State | "new")[];
  readonly to: State;
  readonly sends: readonly EventName[];
  readonly requirement: RequirementId;
}

/** Whether a table has a row for a trigger in a state. */
export function applies(rows: readonly Transition[], trigger: string, from: string): boolean {
  return rows.some((row) => row.trigger === trigger && row.from.includes(from));
}

/**
 * Takes the row of a table that a trigger leads by: to which state, and with which events.
 *
 * @param what the resource, as an error names it
 * @throws a Refusal 409 where the table has no such row
 */
export function requireTransition<Row extends Transition, Trigger extends Row["trigger"]>(
  rows: readonly Row[],
  trigger: Trigger,
  from: string,
  what: string,
): Extract<Row, { readonly trigger: Trigger }> {
  type Found = Extract<Row, { readonly trigger: Trigger }>;
  const ofTrigger = rows.filter((row): row is Found => row.trigger === trigger);
  const found = ofTrigger.find((row) => row.from.includes(from));
  if (found) return found;
  const states = ofTrigger.flatMap((row) => row.from);
  throw conflict(`${trigger} applies to ${states.join(" or ")}, and ${what} is ${from}`);
}
