import type { EventName, EventPayloads } from "../../generated/events.ts";
import { eventSchemaNames } from "../../generated/schema-index.ts";
import { idOf } from "../../src/contract/rules/link.ts";
import { checkEvent } from "../../src/contract/validate.ts";
import type { Means } from "../means.ts";
import type { Delivery } from "./delivery.ts";

type AnyTold = {
  [N in EventName]: {
    readonly name: N;
    readonly body: EventPayloads[N];
    readonly delivery: Delivery;
  };
}[EventName];

/** A delivery whose body has the shape that its header names. */
export type Told<Name extends EventName = EventName> = Extract<AnyTold, { readonly name: Name }>;

/** What deliveries tell, as far as they can be read. */
export interface Reading {
  /** In the order in which they came. */
  readonly told: readonly Told[];
  /** JSON that has not the shape of its event. */
  readonly broken: readonly Delivery[];
  /** Whether there are others still: what they told is not known. */
  readonly hasUnreadable: boolean;
  /** Whether a delivery that can't be read may have told of a resource, such as that it is gone. */
  readonly mayTellOf: (id: string) => boolean;
}

/** Reads deliveries. */
export function read(deliveries: readonly Delivery[], { networks }: Means): Reading {
  const told: Told[] = [];
  const broken: Delivery[] = [];
  let hasUnreadable = deliveries.some(({ refused }) => refused !== undefined);
  for (const delivery of deliveries.filter(isMeantAsDelivery)) {
    const { name, json } = delivery;
    if (json === undefined) hasUnreadable = true;
    else if (isEvent(name) && checkEvent(name, json, { networks }).isShapeValid) {
      told.push({ name, body: json, delivery } as Told);
    } else broken.push(delivery);
  }
  const named = broken.map(({ request }) => request.body).join("\n");
  const mayTellOf = (id: string) => hasUnreadable || named.includes(id);
  return { told, broken, hasUnreadable, mayTellOf };
}

/**
 * Whether a request is a delivery that can be judged. What asks whether somebody is there, as
 * balancers and those do that check an address before they use it, is none; nor is one that the
 * receiver refused.
 */
export function isMeantAsDelivery({ name, refused, request }: Delivery): boolean {
  const { method, body } = request;
  if (refused !== undefined) return false;
  return name !== "" || body !== "" || !["GET", "HEAD", "OPTIONS"].includes(method);
}

function isEvent(name: string): name is EventName {
  return Object.hasOwn(eventSchemaNames, name);
}

/** Whether it is one of these events; narrows its body. */
export function isOf<Name extends EventName>(
  told: Told,
  ...names: readonly Name[]
): told is Told<Name> {
  return (names as readonly EventName[]).includes(told.name);
}

/** Those of these events. */
export function allOf<Name extends EventName>(
  told: readonly Told[],
  ...names: readonly Name[]
): Told<Name>[] {
  return told.filter((one): one is Told<Name> => isOf(one, ...names));
}

/** The ids of the messages that a transaction links to. */
export function messageIdsOf(transaction: EventPayloads["transaction.created"]): string[] {
  return transaction._links.messages.map(({ href }) => idOf(href));
}

/** The bank transactions that a message, or a transaction's projection, is made of. */
export function postingIdsOf(told: Told): string[] {
  const messages = isOf(told, "transaction.created", "transaction.updated")
    ? (told.body._embedded?.messages ?? [])
    : isOf(told, "transactionmessage.created")
      ? [told.body]
      : [];
  return messages.flatMap(({ bankData }) => (bankData ? [bankData.bankTransactionId] : []));
}
