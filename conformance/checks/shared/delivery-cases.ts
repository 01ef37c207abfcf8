import type { EventName } from "../../../generated/events.ts";
import { valueAt } from "../../../src/contract/pointer.ts";
import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import type { Shows } from "../../observe/body-checks.ts";
import type { History } from "../../observe/deliveries/history.ts";
import {
  allNamed,
  isNamed,
  postingIdsOf,
  type TypedDelivery,
} from "../../observe/deliveries/reading.ts";
import { projectedMessages } from "../../observe/feed.ts";
import type { ValidatedDelivery, Validation } from "../../observe/validation.ts";
import { supersededIn } from "./response-cases.ts";

type Snapshot = TypedDelivery<"transaction.created" | "transaction.updated">;
type Subscribed = TypedDelivery<"cardsubscription.created" | "cardsubscription.updated">;

/** Groups the snapshots since creation by transaction, in order. */
export function snapshotsIn({ complete: whole }: History): Snapshot[][] {
  return byId(allNamed(whole, "transaction.created", "transaction.updated"));
}

/** Groups the snapshots since creation by subscription, in order. */
export function subscriptionsIn({ complete: whole }: History): Subscribed[][] {
  return byId(allNamed(whole, "cardsubscription.created", "cardsubscription.updated"));
}

/** Groups deliveries by the id of their resource. */
export function byId<T extends { readonly body: { readonly id: string } }>(
  typed: readonly T[],
): T[][] {
  return [...Map.groupBy(typed, ({ body }) => body.id).values()];
}

/** Counts the adjacent pairs that meet a condition. */
export function countSteps<T>(
  lists: readonly (readonly T[])[],
  is: (before: T, now: T) => boolean,
): number {
  return lists.reduce(
    (sum, list) => sum + list.filter((now, at) => at > 0 && is(list[at - 1] as T, now)).length,
    0,
  );
}

/** Groups the matches by bank transaction. */
export function matchesByPosting({ complete: whole }: History): Map<string, TypedDelivery[]> {
  const matches = new Map<string, TypedDelivery[]>();
  for (const match of allNamed(whole, "transaction.match.created")) {
    for (const { id } of match.body.matches) matches.set(id, [...(matches.get(id) ?? []), match]);
  }
  return matches;
}

/** The number of delivered messages that name a bank transaction. */
export function bankSourced({ complete: whole }: History): number {
  return whole.reduce((sum, one) => sum + postingIdsOf(one).length, 0);
}

/** The number of purchases that several bank transactions settle. */
export function splitPurchases(history: History): number {
  return snapshotsIn(history).filter((snapshots) => {
    const last = snapshots.at(-1) as Snapshot;
    return last.body.network !== OPEN_BANKING && new Set(postingIdsOf(last)).size > 1;
  }).length;
}

/** The number of projected messages that also have their own event. */
export function projectedToo({ reading: { typed } }: History): number {
  const announced = new Set(
    allNamed(typed, "transactionmessage.created").map(({ body }) => body.id),
  );
  return allNamed(typed, "transaction.created", "transaction.updated")
    .flatMap(({ body }) => body._embedded?.messages ?? [])
    .filter(({ id }) => announced.has(id)).length;
}

export function countEvents<Name extends TypedDelivery["name"]>(
  typed: readonly TypedDelivery[],
  ...names: Name[]
): number {
  return typed.filter((one) => isNamed(one, ...names)).length;
}

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
