import type { EventName } from "../../../generated/events.ts";
import { valueAt } from "../../../src/contract/pointer.ts";
import type { Shows } from "../../observe/body-checks.ts";
import { projectedMessages } from "../../observe/feed.ts";
import type { ValidatedDelivery, Validation } from "../../observe/validation.ts";
import { supersededIn } from "./response-cases.ts";

/** Selects deliveries of some events, with an optional further condition. */
export function withEvent(
  names: readonly EventName[],
  is: (body: unknown) => boolean = () => true,
): Shows {
  return (body, checked) => (names as readonly string[]).includes(nameOf(checked)) && is(body);
}

export const TRANSACTIONS = ["transaction.created", "transaction.updated"] as const;
export const SUBSCRIPTIONS = ["cardsubscription.created", "cardsubscription.updated"] as const;

/** Selects deliveries with a message, standalone or projected, that meets a condition. */
export function withMessage(is: (message: unknown) => boolean = () => true): Shows {
  return (body, checked) => messagesIn(nameOf(checked), body).some(is);
}

function messagesIn(name: string, body: unknown): readonly unknown[] {
  if (name === "transactionmessage.created") return [body];
  if (!(TRANSACTIONS as readonly string[]).includes(name)) return [];
  return projectedMessages(body) ?? [];
}

export function nameOf(checked: Validation): string {
  return (checked as ValidatedDelivery).delivery.name;
}

/** Whether a body has a link of this name. */
export function hasLink(body: unknown, name: string): boolean {
  return valueAt(body, ["_links", name]) !== undefined;
}

/** Whether a transaction has superseded messages and embeds its messages. */
export function hasSuperseded(body: unknown): boolean {
  return supersededIn(body).length > 0 && projectedMessages(body) !== undefined;
}
