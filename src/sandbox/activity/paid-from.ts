import { withSubscription } from "../enrollment/cards.ts";
import type { Store } from "../store/store.ts";

/** The bank account that a card is paid from; undefined where none is linked, and of no card. */
export function bankAccountOfCard(store: Store, cardId: string | null): string | undefined {
  if (cardId === null) return undefined;
  return withSubscription(store, store.find("cards", cardId)).subscription.body.bankAccountId;
}
