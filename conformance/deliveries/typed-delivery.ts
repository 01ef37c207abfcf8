import type { EventName, EventPayloads } from "../../generated/events.ts";
import { eventSchemaNames } from "../../generated/schema-index.ts";
import { idOf } from "../../src/contract/rules/link.ts";
import { checkEvent } from "../../src/contract/validate.ts";
import type { Capabilities } from "../capabilities.ts";
import type { Delivery } from "./delivery.ts";

type AnyTypedDelivery = {
  [N in EventName]: {
    readonly name: N;
    readonly body: EventPayloads[N];
    readonly delivery: Delivery;
  };
}[EventName];

/** A delivery whose body has the shape that its header names. */
export type TypedDelivery<Name extends EventName = EventName> = Extract<
  AnyTypedDelivery,
  { readonly name: Name }
>;

/** What deliveries tell, as far as they can be read. */
export interface Reading {
  /** In the order in which they came. */
  readonly typed: readonly TypedDelivery[];
  /** JSON that has not the shape of its event. */
  readonly invalid: readonly Delivery[];
  /** Whether there are others still: what they told is not known. */
  readonly hasUnreadable: boolean;
  /** Whether a delivery that can't be read may have told of a resource, such as that it is gone. */
  readonly mayMention: (id: string) => boolean;
}

/** Reads deliveries. */
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
 * Whether a request is a delivery that can be judged. What asks whether somebody is there, as
 * balancers and those do that check an address before they use it, is none; nor is one that the
 * receiver refused.
 */
export function isDeliveryAttempt({ name, refused, request }: Delivery): boolean {
  const { method, body } = request;
  if (refused !== undefined) return false;
  return name !== "" || body !== "" || !["GET", "HEAD", "OPTIONS"].includes(method);
}

function isEvent(name: string): name is EventName {
  return Object.hasOwn(eventSchemaNames, name);
}

/** Whether it is one of these events; narrows its body. */
export function isNamed<Name extends EventName>(
  typed: TypedDelivery,
  ...names: readonly Name[]
): typed is TypedDelivery<Name> {
  return (names as readonly EventName[]).includes(typed.name);
}

/** Those of these events. */
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

/** The bank transactions that a message, or a transaction's projection, is made of. */
export function postingIdsOf(typed: TypedDelivery): string[] {
  const messages = isNamed(typed, "transaction.created", "transaction.updated")
    ? (typed.body._embedded?.messages ?? [])
    : isNamed(typed, "transactionmessage.created")
      ? [typed.body]
      : [];
  return messages.flatMap(({ bankData }) => (bankData ? [bankData.bankTransactionId] : []));
}
