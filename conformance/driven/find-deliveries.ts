import { isDeepStrictEqual } from "node:util";
import type { EventName } from "../../generated/events.ts";
import { memberOf, segmentsOf, valueAt } from "../../src/contract/pointer.ts";
import { idOf } from "../../src/contract/rules/link.ts";
import type { Delivery } from "../deliveries/delivery.ts";

/** Where the deliveries of a second subscription go, so that they are told apart (WHK-06). */
export const SECOND_PATH = "/subscribed-to-some";

export function isForSecondSubscription({ request }: Delivery): boolean {
  return request.path.endsWith(SECOND_PATH);
}

/**
 * The deliveries of an event that have these values.
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

/** Whether an event of a resource is among deliveries. */
export function isAnnounced(deliveries: readonly Delivery[], name: EventName, id: string): boolean {
  return findEvents(deliveries, name, { "/id": id }).length > 0;
}

/** The matches of a bank transaction, as they were announced. */
export function findMatches(
  deliveries: readonly Delivery[],
  bankTransactionId: string,
): Delivery[] {
  return findEvents(deliveries, "transaction.match.created").filter(({ json }) =>
    listAt(json, "matches").some((match) => memberOf(match, "id") === bankTransactionId),
  );
}

/** The ids of the messages that a transaction links to. */
export function messageIdsOf(transaction: unknown): string[] {
  return listAt(memberOf(transaction, "_links"), "messages").flatMap((link) => {
    const href = memberOf(link, "href");
    return typeof href === "string" ? [idOf(href)] : [];
  });
}

/** The messages that a transaction projects; none where its account has that switched off. */
export function projectedMessages(transaction: unknown): unknown[] {
  return listAt(memberOf(transaction, "_embedded"), "messages");
}

/** A list of a body; empty where there is none. */
export function listAt(body: unknown, name: string): unknown[] {
  const list = memberOf(body, name);
  return Array.isArray(list) ? list : [];
}

/** A text of a body; undefined where there is none. */
export function textAt(body: unknown, pointer: string): string | undefined {
  const value = valueAt(body, segmentsOf(pointer));
  return typeof value === "string" ? value : undefined;
}

/**
 * The events behind deliveries of one name that are to come once. A delivery may come again (WHK-04
 * leaves that open), so that of equal ones only the first counts; unless nothing of another name
 * ever came again in the whole run: then it is no habit of the sender's, and each is an event.
 */
export function distinctEvents(same: readonly Delivery[], all: readonly Delivery[]): Delivery[] {
  const others = all.filter((one) => one.name !== same[0]?.name && !isForSecondSubscription(one));
  const repeats = others.length - new Set(others.map(contentOf)).size;
  if (repeats === 0 && others.length >= MIN_SAMPLE) return [...same];
  const known = new Set<string>();
  return same.filter((delivery) => {
    const content = contentOf(delivery);
    return !known.has(content) && known.add(content);
  });
}

/** Of fewer deliveries there is no telling what the sender's habit is. */
const MIN_SAMPLE = 3;

/** What a delivery says, the envelope's `metadata` left out: it may differ from try to try. */
function contentOf({ name, json, request }: Delivery): string {
  if (typeof json !== "object" || json === null) return `${name} ${request.body}`;
  const { metadata, ...body } = json as Record<string, unknown>;
  return `${name} ${JSON.stringify(body)}`;
}

/** Whether one delivery had been answered when another came: then they were sent in that order. */
export function isBefore(one: Delivery, other: Delivery): boolean {
  return one.answeredAt <= other.receivedAt;
}

/**
 * Whether things that are sent one after the other are sent the other way round. How deliveries
 * overtake each other is open (WHK-04): it takes each of several pairs to tell.
 */
export function areInverted(pairs: readonly (readonly [Delivery, Delivery])[]): boolean {
  return pairs.length > 1 && pairs.every(([first, second]) => isBefore(second, first));
}
