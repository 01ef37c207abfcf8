import { isDeepStrictEqual } from "node:util";
import { type EventName, eventInfo } from "../../../generated/events.ts";
import { memberOf, segmentsOf, valueAt } from "../../../src/contract/pointer.ts";
import { SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { bankTransactionIn, bankTransactionsIn, projectedMessages } from "../feed.ts";
import { isBefore } from "./order.ts";
import { isForSecondSubscription } from "./reading.ts";

/**
 * Finds the deliveries of an event that have these values.
 *
 * @param values By JSON pointer.
 */
export function findEvents(
  deliveries: readonly Delivery[],
  name: EventName,
  values: Readonly<Record<string, unknown>> = {},
): Delivery[] {
  const wanted = Object.entries(values);
  return deliveries.filter(
    (delivery) =>
      delivery.name === name &&
      !isForSecondSubscription(delivery) &&
      wanted.every(([path, value]) => {
        return isDeepStrictEqual(valueAt(delivery.json, segmentsOf(path)), value);
      }),
  );
}

/** Finds the deliveries of an event about a resource. */
export function findEventsOf(
  deliveries: readonly Delivery[],
  name: EventName,
  id: string,
): Delivery[] {
  return findEvents(deliveries, name, { [eventInfo[name].id]: id });
}

/** Whether an event of a resource was delivered. */
export function isAnnounced(deliveries: readonly Delivery[], name: EventName, id: string): boolean {
  return findEventsOf(deliveries, name, id).length > 0;
}

/** Finds the announcements of a bank transaction's matches. */
export function findMatches(
  deliveries: readonly Delivery[],
  bankTransactionId: string,
): Delivery[] {
  return findEvents(deliveries, "transaction.match.created").filter(({ json }) =>
    bankTransactionsIn(json).includes(bankTransactionId),
  );
}

/**
 * The messages in bodies of messages and transactions, by id. A standalone message may be abridged,
 * so the projections in transactions complete it.
 */
export function messagesIn(bodies: readonly unknown[]): ReadonlyMap<string, object> {
  const messages = new Map<string, object>();
  const projections = bodies.flatMap((body) => projectedMessages(body) ?? []);
  for (const message of [...projections, ...bodies]) {
    const id = textAt(message, "/id");
    if (id !== undefined) messages.set(id, { ...messages.get(id), ...Object(message) });
  }
  return messages;
}

/** The ids of the messages in some bodies that name a bank transaction. */
export function messagesNaming(bodies: readonly unknown[], bankTransactionId: string): string[] {
  return [...messagesIn(bodies)].flatMap(([id, message]) => {
    return bankTransactionIn(message) === bankTransactionId ? [id] : [];
  });
}

/** Whether a settlement may be the bank's: it is abridged, and no projection completes it. */
export function hidesSource(message: unknown): boolean {
  const isSettlement = memberOf(message, "messageType") === SETTLEMENT;
  return isSettlement && memberOf(message, "bankData") === undefined;
}

/** A string of a body; undefined if there is none. */
export function textAt(body: unknown, pointer: string): string | undefined {
  const value = valueAt(body, segmentsOf(pointer));
  return typeof value === "string" ? value : undefined;
}

/**
 * Removes duplicate deliveries of one event. A sender may repeat a delivery (WHK-04), so only the
 * first of equal ones counts. But if the sender repeated no other event, each counts as an event.
 */
export function distinctEvents(same: readonly Delivery[], sample: Sample): Delivery[] {
  if (!mayRepeat(same[0]?.name, sample)) return [...same];
  const known = new Set<string>();
  return same.filter((delivery) => {
    const content = contentOf(delivery);
    return !known.has(content) && known.add(content);
  });
}

/**
 * Removes those of the later deliveries that may repeat an earlier one: what remains was sent
 * without cause.
 */
export function undueEvents(
  later: readonly Delivery[],
  earlier: readonly Delivery[],
  sample: Sample,
): Delivery[] {
  if (!mayRepeat(later[0]?.name, sample)) return [...later];
  const known = new Set(earlier.map(contentOf));
  return later.filter((one) => !known.has(contentOf(one)));
}

/**
 * Deliveries that show whether a sender repeats some, in parts. What is in two parts is not
 * repeated: a target that goes back to an earlier state sends the same again.
 */
export type Sample = readonly (readonly Delivery[])[];

/**
 * Whether a sender may repeat deliveries: false if it repeated none of the other events. A
 * connection may change twice in the same way.
 */
function mayRepeat(name: string | undefined, sample: Sample): boolean {
  const isOther = (one: Delivery) =>
    one.name !== name && one.name !== "bankaccount.state_changed" && !isForSecondSubscription(one);
  const parts = sample.map((part) => part.filter(isOther));
  const hasRepeats = (part: readonly Delivery[]) => new Set(part.map(contentOf)).size < part.length;
  return parts.flat().length < MIN_SAMPLE || parts.some(hasRepeats);
}

/** The minimum number of other deliveries to conclude that the sender sends no duplicates. */
const MIN_SAMPLE = 3;

/** Contents are compared with those of every other delivery of the run. */
const contents = new WeakMap<Delivery, string>();

/** A delivery's content without `metadata`, which may differ between duplicates. */
export function contentOf(delivery: Delivery): string {
  const known = contents.get(delivery) ?? serialized(delivery);
  contents.set(delivery, known);
  return known;
}

function serialized({ name, json, request }: Delivery): string {
  if (typeof json !== "object" || json === null) return `${name} ${request.body}`;
  const { metadata, ...body } = json as Record<string, unknown>;
  return `${name} ${JSON.stringify(body)}`;
}

/**
 * Whether every one of several pairs arrived in reverse order. Deliveries may overtake each other
 * (WHK-04), so a single pair is inconclusive.
 */
export function areInverted(pairs: readonly (readonly [Delivery, Delivery])[]): boolean {
  return pairs.length > 1 && pairs.every(([first, second]) => isBefore(second, first));
}

/** Whether all of several pairs arrived in order, or all in reverse order. */
export function areInOneOrder(pairs: readonly (readonly [Delivery, Delivery])[]): boolean {
  const isReversed = pairs.every(([first, second]) => isBefore(second, first));
  return isReversed || pairs.every(([first, second]) => isBefore(first, second));
}
