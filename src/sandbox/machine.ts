import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { conflict } from "./refusal.ts";

/** One row of a resource's table of states: what leads from where to where, and what is sent. */
export interface Move<State extends string, Trigger extends string> {
  readonly trigger: Trigger;
  /** The states that it applies in; `new` where the resource begins. */
  readonly from: readonly (State | "new")[];
  readonly to: State;
  readonly sends: readonly EventName[];
  readonly requirement: RequirementId;
}

/**
 * The state that a trigger leads to.
 *
 * @param what the resource, as an error names it
 * @throws a Refusal 409 where the table has no such move
 */
export function nextState<State extends string, Trigger extends string>(
  moves: readonly Move<State, Trigger>[],
  trigger: Trigger,
  from: State,
  what: string,
): State {
  const ofTrigger = moves.filter((move) => move.trigger === trigger);
  const move = ofTrigger.find((candidate) => candidate.from.includes(from));
  if (move) return move.to;
  const states = ofTrigger.flatMap((candidate) => candidate.from);
  throw conflict(`${trigger} applies to ${states.join(" or ")}, and ${what} is ${from}`);
}
