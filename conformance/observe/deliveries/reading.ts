import type { EventName, EventPayloads } from "../../../generated/events.ts";
import { eventSchemaNames } from "../../../generated/schema-index.ts";
import { idOf } from "../../../src/contract/rules/link.ts";
import { checkEvent } from "../../../src/contract/validate.ts";
import type { Capabilities } from "../../target.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { type Feed, messageIdsOf } from "../feed.ts";

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
  const messages = isNamed(typed, "transaction.created", "transaction.updated")
    ? (typed.body._embedded?.messages ?? [])
    : isNamed(typed, "transactionmessage.created")
      ? [typed.body]
      : [];
  return messages.flatMap(({ bankData }) => (bankData ? [bankData.bankTransactionId] : []));
}

/** The ids of deleted bank transactions. */
export function removedBy(typed: readonly TypedDelivery[]): Set<string> {
  return new Set(allNamed(typed, "banktransaction.deleted").map(({ body }) => body.id));
}

/** The ids of retracted matches. */
export function retractedBy(typed: readonly TypedDelivery[]): Set<string> {
  return new Set(allNamed(typed, "transaction.match.deleted").map(({ body }) => body.matchId));
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

/** The resource ids in a delivery. */
interface Mention {
  readonly ids: readonly string[];
  /** The id of the resource that this delivery announces as new. */
  readonly creates?: string;
}

/** Groups deliveries into correlations. Bank account state changes belong to none. */
export function correlationsOf(typed: readonly TypedDelivery[], feed: Feed): Correlation[] {
  const mentions = new Map(typed.map((one) => [one, mentionsOf(one)]));
  const groups = new UnionFind();
  for (const { ids } of mentions.values()) groups.join(ids);
  const returned = returnedIds(feed);
  const areListsComplete = readAllLists(feed);
  const byGroup = Map.groupBy(
    typed.filter((one) => (mentions.get(one) as Mention).ids.length > 0),
    (one) => groups.of((mentions.get(one) as Mention).ids[0] as string),
  );
  return [...byGroup.values()].map((deliveries) => {
    const isComplete =
      areListsComplete && !isStale(deliveries, feed) && isNew(deliveries, mentions, returned);
    return { deliveries, isComplete };
  });
}

/**
 * Whether all resources of a correlation are new in this run. Each resource that the API returned
 * must have been announced before the first response that contains it.
 */
function isNew(
  deliveries: readonly TypedDelivery[],
  mentions: ReadonlyMap<TypedDelivery, Mention>,
  returned: ReadonlyMap<string, number>,
): boolean {
  const announced = new Map<string, number>();
  for (const one of deliveries) {
    const id = mentions.get(one)?.creates?.toLowerCase();
    if (id !== undefined && !announced.has(id)) announced.set(id, one.delivery.nr);
  }
  const ids = new Set(deliveries.flatMap((one) => mentions.get(one)?.ids ?? []));
  for (const id of [...ids].map((id) => id.toLowerCase())) {
    const returnedAt = returned.get(id);
    if (returnedAt !== undefined && (announced.get(id) ?? returnedAt) >= returnedAt) return false;
  }
  // No collection lists subscriptions: if the card existed before, its subscription may have too.
  return deliveries.every(
    (one) =>
      !isNamed(one, "cardsubscription.updated") ||
      announced.has(one.body.id.toLowerCase()) ||
      !returned.has(one.body.cardId.toLowerCase()),
  );
}

function mentionsOf(one: TypedDelivery): Mention {
  switch (one.name) {
    case "transactionmessage.created":
      return { ids: [one.body.id, ...postingIdsOf(one)], creates: one.body.id };
    case "transaction.created":
    case "transaction.updated": {
      const { id } = one.body;
      const ids = [id, ...messageIdsOf(one.body), ...postingIdsOf(one)];
      return { ids, ...(one.name === "transaction.created" && { creates: id }) };
    }
    case "banktransaction.created":
      return { ids: [one.body.id], creates: one.body.id };
    case "banktransaction.deleted":
      return { ids: [one.body.id] };
    case "transaction.match.created": {
      const { matchId, matches, cardTransaction } = one.body;
      return {
        ids: [matchId, cardTransaction.id, ...matches.map(({ id }) => id)],
        creates: matchId,
      };
    }
    case "transaction.match.deleted": {
      const { matchId, bankTransactionId, cardTransactionId } = one.body;
      return { ids: [matchId, bankTransactionId, cardTransactionId] };
    }
    case "cardsubscription.created":
      return { ids: [one.body.id], creates: one.body.id };
    case "cardsubscription.updated":
    case "networkbulkfeed.statechanged":
      return { ids: [one.body.id] };
    case "banklink.completed": {
      // The link existed before it was completed.
      const cards = one.body.bankAccounts.flatMap((account) => account.cards ?? []);
      return { ids: cards.map(({ subscriptionId }) => subscriptionId) };
    }
    case "enrichment.merchant.created":
      return { ids: [idOf(one.body._links.message.href)] };
    case "bankaccount.state_changed":
      return { ids: [] };
  }
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

/** Groups related ids. */
class UnionFind {
  readonly #above = new Map<string, string>();

  /** The id that represents this id's group. */
  of(id: string): string {
    let top = id.toLowerCase();
    for (;;) {
      const above = this.#above.get(top) ?? top;
      if (above === top) return top;
      // Path halving: shortens later lookups.
      this.#above.set(top, this.#above.get(above) ?? above);
      top = above;
    }
  }

  join([first, ...others]: readonly string[]): void {
    if (first === undefined) return;
    for (const other of others) this.#above.set(this.of(other), this.of(first));
  }
}
