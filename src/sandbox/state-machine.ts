import { type Transition, type TransitionOf, transitionOf } from "../model/state-machine.ts";
import { conflict } from "./refusal.ts";

/**
 * Finds the transition of a trigger.
 *
 * @param what the resource, for the error message
 * @throws {Refusal} 409 if the trigger does not apply in the state
 */
export function requireTransition<Row extends Transition, Trigger extends Row["trigger"]>(
  rows: readonly Row[],
  trigger: Trigger,
  from: string,
  what?: string,
): TransitionOf<Row, Trigger> {
  try {
    return transitionOf(rows, trigger, from, what);
  } catch (error) {
    throw error instanceof RangeError ? conflict(error.message) : error;
  }
}
