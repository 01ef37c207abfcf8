import { type Transition, type TransitionOf, transitionOf } from "../model/state-machine.ts";
import { type Advice, conflict } from "./refusal.ts";
import { isVerb } from "./verbs/names.ts";

/** The parameters that select a resource, such as its account and its id. */
type Subject = Readonly<Record<string, string>>;

/**
 * Finds the transition of a trigger.
 *
 * @param what the resource, for the error message
 * @param subject the parameters that select the resource, for the advice
 * @throws {Refusal} 409 if the trigger does not apply in the state
 */
export function requireTransition<Row extends Transition, Trigger extends Row["trigger"]>(
  rows: readonly Row[],
  trigger: Trigger,
  from: string,
  what?: string,
  subject: Subject = {},
): TransitionOf<Row, Trigger> {
  try {
    return transitionOf(rows, trigger, from, what);
  } catch (error) {
    throw error instanceof RangeError
      ? conflict(error.message, adviceFor(rows, trigger, from, subject))
      : error;
  }
}

/** A verb that creates a resource in a state that the trigger applies to, or leads to one. */
function adviceFor(
  rows: readonly Transition[],
  trigger: string,
  from: string,
  subject: Subject,
): Advice | undefined {
  const states = rows.flatMap((row) => (row.trigger === trigger ? row.from : []));
  const leading = rows.filter((row) => isVerb(row.trigger) && states.includes(row.to));
  const row =
    leading.find((one) => one.from.includes("new")) ??
    leading.find((one) => one.from.includes(from));
  const verb = row?.trigger ?? "";
  if (!row || !isVerb(verb)) return undefined;
  const { accountId } = subject;
  return row.from.includes("new")
    ? { text: `run ${verb} for another one`, verb, params: { accountId } }
    : { text: `run ${verb} first`, verb, params: subject };
}
