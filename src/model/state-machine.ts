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

/** Whether a trigger applies in a state. */
export function applies(rows: readonly Transition[], trigger: string, from: string): boolean {
  return rows.some((row) => row.trigger === trigger && row.from.includes(from));
}
