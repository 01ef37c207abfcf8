import type { EventPayloads } from "../../../generated/events.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";

/** A difference between two values. */
interface Difference {
  /** A JSON pointer, relative to the compared values. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** Maximum differences reported per body. */
const MAX_DIFFERENCES = 5;

/** Compares two values. The order of object members is ignored. */
export function differencesOf(expected: unknown, actual: unknown): Difference[] {
  const found: Difference[] = [];
  compare(expected, actual, "", found);
  return found;
}

function compare(one: unknown, other: unknown, path: string, found: Difference[]): void {
  if (one === other || found.length === MAX_DIFFERENCES) return;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    found.push({ path, expected: describeValue(one, path), actual: describeValue(other, path) });
    return;
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    compare(one[name], other[name], `${path}/${name}`, found);
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Reduces two objects to the named members that both have. */
export function sharedBy(
  names: readonly string[],
  one: unknown,
  other: unknown,
): [Record<string, unknown>, Record<string, unknown>] {
  const both = names.filter((name) => has(one, name) && has(other, name));
  return [pick(one, both), pick(other, both)];
}

/** The named members that an object has. */
export function pick(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (!isContainer(value)) return {};
  return Object.fromEntries(
    names.filter((name) => has(value, name)).map((name) => [name, value[name]]),
  );
}

function has(value: unknown, name: string): boolean {
  return isContainer(value) && Object.hasOwn(value, name);
}

/** A difference between an event and a REST resource. */
export interface Contradiction extends Difference {
  /** Set unless `id` differs: the other fields of the REST resource are not shown. */
  readonly isWarning?: true;
}

function contradictionsOf(announced: unknown, served: unknown): Contradiction[] {
  return differencesOf(announced, served).map((one) =>
    one.path === "/id" ? one : { ...one, isWarning: true },
  );
}

/** The fields of a bank transaction that don't change unless it is pending. */
const LASTING = [
  ...["id", "bankAccountId", "date", "amount", "currency", "description", "transactionType"],
];

/**
 * Compares a bank transaction's event with a REST resource, in the fields that both have in the
 * same form, and in `amount` without its sign.
 */
export function bankTransactionDifferences(
  body: EventPayloads["banktransaction.created"],
  served: unknown,
): Contradiction[] {
  const fields = body.pending ? ["id", "bankAccountId"] : LASTING;
  const [announced, found] = sharedBy(fields, body, served);
  const same = Object.keys(found).filter((name) => haveSameForm(announced[name], found[name]));
  return contradictionsOf(unsigned(pick(announced, same)), unsigned(pick(found, same)));
}

function haveSameForm(one: unknown, other: unknown): boolean {
  return typeof one === typeof other && isDate(one) === isDate(other);
}

function isDate(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
}

function unsigned({ amount, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return typeof amount === "number" ? { ...rest, amount: Math.abs(amount) } : rest;
}

/** Compares a match's event with a REST resource, in the fields that both have. */
export function matchDifferences(
  body: EventPayloads["transaction.match.created"],
  served: unknown,
): Contradiction[] {
  const fields = ["confidence", "score", "cardTransaction"];
  const [announced, found] = sharedBy(fields, { ...body }, served);
  return contradictionsOf(
    { ...within(announced), id: body.matchId },
    { ...within(found), id: memberOf(served, "id") },
  );
}

/** Replaces `cardTransaction` with its id. */
function within({ cardTransaction, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const id = memberOf(cardTransaction, "id");
  return { ...rest, ...(id !== undefined && { "cardTransaction/id": id }) };
}
