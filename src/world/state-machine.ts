import type { Transition } from "../model/state-machine.ts";
import { type Advice, conflict } from "./refusal.ts";
import { isVerb } from "./verbs/names.ts";

/** The parameters that select a resource, such as its account and its id. */
type Subject = Readonly<Record<string, string>>;

/** The rows of a table that belong to a trigger. */
type TransitionOf<Row extends Transition, Trigger extends Row["trigger"]> = Extract<
  Row,
  { readonly trigger: Trigger }
>;

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
  what = "it",
  subject: Subject = {},
): TransitionOf<Row, Trigger> {
  const ofTrigger = rows.filter((row): row is TransitionOf<Row, Trigger> => {
    return row.trigger === trigger;
  });
  const found = ofTrigger.find((row) => row.from.includes(from));
  if (found) return found;
  const states = ofTrigger.flatMap((row) => row.from);
  const problem = `${trigger} applies to ${states.join(" or ")}, but ${what} is ${from}`;
  throw conflict(problem, adviceFor(rows, states, from, subject));
}

/** A verb that creates a resource in one of the states, or leads to one. */
function adviceFor(
  rows: readonly Transition[],
  states: readonly string[],
  from: string,
  subject: Subject,
): Advice | undefined {
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
