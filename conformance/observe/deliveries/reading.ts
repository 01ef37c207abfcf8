import { type EventName, type EventPayloads, eventInfo } from "../../../generated/events.ts";
import { eventSchemaNames } from "../../../generated/schema-index.ts";
import { segmentsOf, valueAt } from "../../../src/contract/pointer.ts";
import { checkEvent } from "../../../src/contract/validate.ts";
import type { Capabilities } from "../../target.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { type Feed, messageIdsOf } from "../feed.ts";
import { idIn } from "../operations.ts";

type AnyTypedDelivery = {
  [N in EventName]: {
    readonly name: N;
    readonly body: EventPayloads[N];
    readonly delivery: Delivery;
  };
}[EventName];

/** A delivery whose body matches the schema of its event. */
export type TypedDelivery<Name extends EventName = EventName> = Extract<
  AnyTypedDelivery,
  { readonly name: Name }
>;

/** Deliveries sorted by whether they could be parsed and validated. */
export interface Reading {
  /** In order of arrival. */
  readonly typed: readonly TypedDelivery[];
  /** JSON that does not match its event's schema, or has an unknown event name. */
  readonly invalid: readonly Delivery[];
  /**
   * Whether there are deliveries whose content is unknown: refused ones, or bodies that are not
   * JSON.
   */
  readonly hasUnreadable: boolean;
  /** Whether an unreadable or invalid delivery may mention a resource. */
  readonly mayMention: (id: string) => boolean;
}

export function readDeliveries(
  deliveries: readonly Delivery[],
  { networks }: Capabilities,
): Reading {
  const typed: TypedDelivery[] = [];
  const invalid: Delivery[] = [];
  let hasUnreadable = deliveries.some(({ refused }) => refused !== undefined);
  for (const delivery of deliveries.filter(isDeliveryAttempt)) {
    const { name, json } = delivery;
    if (json === undefined) hasUnreadable = true;
    else if (isEvent(name) && checkEvent(name, json, { networks }).isShapeValid) {
      typed.push({ name, body: json, delivery } as TypedDelivery);
    } else invalid.push(delivery);
  }
  const named = invalid.map(({ request }) => request.body).join("\n");
  const mayMention = (id: string) => hasUnreadable || named.includes(id);
  return { typed, invalid, hasUnreadable, mayMention };
}

/**
 * Whether a request is a delivery to check. Health checks, URL-verification probes (GET, HEAD,
 * OPTIONS) and refused requests are not.
 */
export function isDeliveryAttempt({ name, refused, request }: Delivery): boolean {
  const { method, body } = request;
  if (refused !== undefined) return false;
  return name !== "" || body !== "" || !["GET", "HEAD", "OPTIONS"].includes(method);
}

/** The start of the path of further subscriptions' deliveries (WHK-06). */
export const SECOND_PATH = "/subscribed-to-";

/** Whether a delivery repeats one of the main subscription. Its order shows nothing. */
export function isForSecondSubscription({ request }: Delivery): boolean {
  return request.path.includes(SECOND_PATH);
}

function isEvent(name: string): name is EventName {
  return Object.hasOwn(eventSchemaNames, name);
}

/** Whether a delivery has one of these event names; narrows its body. */
export function isNamed<Name extends EventName>(
  typed: TypedDelivery,
  ...names: readonly Name[]
): typed is TypedDelivery<Name> {
  return (names as readonly EventName[]).includes(typed.name);
}

/** The deliveries with one of these event names. */
export function allNamed<Name extends EventName>(
  typed: readonly TypedDelivery[],
  ...names: readonly Name[]
): TypedDelivery<Name>[] {
  return typed.filter((one): one is TypedDelivery<Name> => isNamed(one, ...names));
}

/** The ids of the bank transactions behind a message or a transaction's embedded messages. */
export function postingIdsOf(typed: TypedDelivery): string[] {
  if (isNamed(typed, "transactionmessage.created")) return postingsIn([typed.body]);
  const isSnapshot = isNamed(typed, "transaction.created", "transaction.updated");
  return isSnapshot ? postingsIn(typed.body._embedded?.messages) : [];
}

function postingsIn(
  messages: readonly Pick<EventPayloads["transactionmessage.created"], "bankData">[] = [],
): string[] {
  return messages.flatMap(({ bankData }) => (bankData ? [bankData.bankTransactionId] : []));
}

/** The id of the resource that a delivery is about. */
export function subjectOf({ name, body }: TypedDelivery): string {
  return String(valueAt(body, segmentsOf(eventInfo[name].id)));
}

/** The ids of the resources that the deliveries of an event are about. */
function subjectsOf(typed: readonly TypedDelivery[], name: EventName): Set<string> {
  return new Set(allNamed(typed, name).map((one) => subjectOf(one)));
}

/** The ids of deleted bank transactions. */
export function removedBy(typed: readonly TypedDelivery[]): Set<string> {
  return subjectsOf(typed, "banktransaction.deleted");
}

/** The ids of retracted matches. */
export function retractedBy(typed: readonly TypedDelivery[]): Set<string> {
  return subjectsOf(typed, "transaction.match.deleted");
}

/** Deliveries linked by the resources they mention, directly or through other deliveries. */
export interface Correlation {
  /** In order of arrival. */
  readonly deliveries: readonly TypedDelivery[];
  /**
   * Whether the run received its deliveries from the first one on. Then a missing event was never
   * sent.
   */
  readonly isComplete: boolean;
}

/** A delivery and the resource ids in it, in lower case. */
interface Mention {
  readonly one: TypedDelivery;
  readonly ids: readonly string[];
  /** The id of the resource that this delivery announces as new. */
  readonly creates: string | undefined;
}

/** Groups deliveries into correlations. Bank account state changes belong to none. */
export function correlationsOf(typed: readonly TypedDelivery[], feed: Feed): Correlation[] {
  const mentions = typed.map(mentionOf).filter(({ ids }) => ids.length > 0);
  const groups = new Map<string, Set<string>>();
  for (const { ids } of mentions) {
    const known = [...new Set(ids.flatMap((id) => groups.get(id) ?? []))];
    // The smaller groups join the largest one.
    const [group = new Set<string>(), ...others] = known.toSorted((a, b) => b.size - a.size);
    for (const id of [ids, ...others].flatMap((all) => [...all])) groups.set(id, group.add(id));
  }
  const returned = returnedIds(feed);
  const areListsComplete = readAllLists(feed);
  return [...Map.groupBy(mentions, ({ ids: [id = ""] }) => groups.get(id)).values()].map((own) => {
    const deliveries = own.map(({ one }) => one);
    const isComplete = areListsComplete && !isStale(deliveries, feed) && isNew(own, returned);
    return { deliveries, isComplete };
  });
}

/**
 * Whether all resources of a correlation are new in this run. Each resource that the API returned
 * must have been announced before the first response that contains it.
 */
function isNew(own: readonly Mention[], returned: ReadonlyMap<string, number>): boolean {
  const announced = new Map<string | undefined, number>();
  for (const { creates, one } of own.toReversed()) announced.set(creates, one.delivery.nr);
  return own.every(({ ids, one }) => {
    const areNew = ids.every((id) => {
      const returnedAt = returned.get(id);
      return returnedAt === undefined || (announced.get(id) ?? returnedAt) < returnedAt;
    });
    // No collection lists subscriptions: if the card existed before, its subscription may have too.
    const mayBeOld = isNamed(one, "cardsubscription.updated") && !announced.has(ids[0]);
    return areNew && !(mayBeOld && returned.has(one.body.cardId.toLowerCase()));
  });
}

function mentionOf(one: TypedDelivery): Mention {
  const subject = subjectOf(one).toLowerCase();
  const mentioned = MENTIONS[one.name] as ((body: unknown) => readonly string[]) | undefined;
  const ids = mentioned?.(one.body).map((id) => id.toLowerCase()) ?? [subject];
  const isCreation = one.name.endsWith(".created") && ids.includes(subject);
  return { one, ids, creates: isCreation ? subject : undefined };
}

/** The ids in an event that link it to other events; default: the id of its own resource. */
const MENTIONS: {
  readonly [Name in EventName]?: (body: EventPayloads[Name]) => readonly string[];
} = {
  "transactionmessage.created": (body) => [body.id, ...postingsIn([body])],
  "transaction.created": (body) => [body.id, ...partsOf(body)],
  "transaction.updated": (body) => [body.id, ...partsOf(body)],
  "transaction.match.created": ({ matchId, cardTransaction, matches }) => [
    ...[matchId, cardTransaction.id],
    ...matches.map(({ id }) => id),
  ],
  "transaction.match.deleted": ({ matchId, bankTransactionId, cardTransactionId }) => [
    ...[matchId, bankTransactionId, cardTransactionId],
  ],
  // The link existed before it was completed.
  "banklink.completed": ({ bankAccounts }) =>
    bankAccounts.flatMap(({ cards = [] }) => cards.map((card) => card.subscriptionId)),
  "enrichment.merchant.created": ({ _links }) => [idIn(_links.message.href)],
  "bankaccount.state_changed": () => [],
};

/** The ids of a transaction's messages and of the bank transactions behind them. */
function partsOf(body: EventPayloads["transaction.created"]): string[] {
  return [...messageIdsOf(body), ...postingsIn(body._embedded?.messages)];
}

const UUID = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Every id in the API's responses, with the number of the first response that contains it. */
function returnedIds(feed: Feed): Map<string, number> {
  const returned = new Map<string, number>();
  for (const { exchange } of feed.responses) {
    for (const [id] of exchange.response?.body.matchAll(UUID) ?? []) {
      const previous = returned.get(id.toLowerCase()) ?? Number.POSITIVE_INFINITY;
      returned.set(id.toLowerCase(), Math.min(previous, exchange.nr));
    }
  }
  return returned;
}

/** Whether every list was read to its end, so an unlisted resource did not exist. */
function readAllLists({ walks }: Feed): boolean {
  const lists = [
    ...(["GET /cards", "GET /transactions"] as const),
    ...(["GET /bank-transactions", "GET /transaction-matches"] as const),
  ];
  return lists.every((list) => walks.get(list)?.end.kind === "last");
}

/**
 * Whether a correlation contains a deletion from before the run. Its delivery was late or is a
 * duplicate, and the API no longer lists the resource.
 */
function isStale(deliveries: readonly TypedDelivery[], feed: Feed): boolean {
  const deletions = allNamed(deliveries, "banktransaction.deleted");
  if (deletions.length === 0) return false;
  const latest = latestMoment(feed);
  return deletions.some(({ body }) => Date.parse(body.deletedAt) < latest);
}

const MOMENT = /"(?:createdAt|updatedAt)"\s*:\s*"([^"]+)"/g;

/** The latest `createdAt` or `updatedAt` in the API's responses. */
function latestMoment({ of }: Feed): number {
  const pages = of("GET /transactions").map(({ exchange }) => exchange.response?.body ?? "");
  const times = pages.flatMap((body) => [...body.matchAll(MOMENT)].map(([, at = ""]) => at));
  return times.reduce((latest, at) => Math.max(latest, Date.parse(at) || 0), 0);
}
