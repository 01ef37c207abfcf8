import { type Move, nextState } from "../machine.ts";

/** Whether a table has a row for a trigger in a state. */
export function applies(
  rows: readonly Move<string, string>[],
  trigger: string,
  from: string,
): boolean {
  return rows.some((row) => row.trigger === trigger && row.from.includes(from));
}

/**
 * Takes the row of a table that a trigger leads by: to which state, and with which events.
 *
 * @param what the resource, as an error names it
 * @throws a Refusal 409 where the table has no such row
 */
export function transition<Row extends Move<string, string>>(
  rows: readonly Row[],
  trigger: Row["trigger"],
  from: string,
  what: string,
): Row {
  nextState<string, string>(rows, trigger, from, what);
  return rows.find((row) => row.trigger === trigger && row.from.includes(from)) as Row;
}
