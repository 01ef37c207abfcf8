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

type Row = readonly [
  trigger: string,
  from: readonly string[],
  to: string,
  sends: readonly EventName[],
  requirement: RequirementId,
];

type Transitions<Rows extends readonly Row[]> = {
  readonly [At in keyof Rows]: {
    readonly trigger: Rows[At][0];
    readonly from: Rows[At][1];
    readonly to: Rows[At][2];
    readonly sends: Rows[At][3];
    readonly requirement: Rows[At][4];
  };
};

/** Reads a table whose columns are the members of {@link Transition}, in their order. */
export function transitions<const Rows extends readonly Row[]>(rows: Rows): Transitions<Rows> {
  return rows.map(([trigger, from, to, sends, requirement]) => {
    return { trigger, from, to, sends, requirement };
  }) as unknown as Transitions<Rows>;
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
