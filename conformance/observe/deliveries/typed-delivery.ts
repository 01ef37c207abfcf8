import type { EventName, EventPayloads } from "../../../generated/events.ts";
import { eventSchemaNames } from "../../../generated/schema-index.ts";
import { idOf } from "../../../src/contract/rules/link.ts";
import { checkEvent } from "../../../src/contract/validate.ts";
import type { Capabilities } from "../../run/capabilities.ts";
import type { Delivery } from "../../wire/exchange.ts";

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

/** The ids of the messages that a transaction links to. */
export function messageIdsOf(transaction: EventPayloads["transaction.created"]): string[] {
  return transaction._links.messages.map(({ href }) => idOf(href));
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
