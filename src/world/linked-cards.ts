import type { Resource } from "./resources.ts";
import type { Store } from "./store.ts";

/** A card with its subscription. */
export interface EnrolledCard {
  readonly card: Resource<"cards">;
  readonly subscription: Resource<"card-subscriptions">;
}

/** A card with its subscription. */
export function withSubscription(store: Store, card: Resource<"cards">): EnrolledCard {
  return { card, subscription: store.find("card-subscriptions", card.internal.subscriptionId) };
}

/** Whether a network sends a card's purchases. */
export function canPurchase(store: Store, card: Resource<"cards">): boolean {
  const { state, enrollmentType } = withSubscription(store, card).subscription.body;
  return state === "active" && enrollmentType !== "bank-feed";
}

/** The oldest card of a bank account that can be used for purchases. */
export function linkedCard(store: Store, bankAccountId: string): string | undefined {
  const { cardIds } = store.find("bank-accounts", bankAccountId).internal;
  return cardIds.find((id) => canPurchase(store, store.find("cards", id)));
}

/** The id of the bank account that a card is linked to, if any. */
export function bankAccountOfCard(store: Store, cardId: string | null): string | undefined {
  if (cardId === null) return undefined;
  return withSubscription(store, store.find("cards", cardId)).subscription.body.bankAccountId;
}
