import type { Ledger } from "../ledger.ts";
import { bareBody } from "../links.ts";
import type { Resource } from "../store/resources.ts";
import type { Store } from "../store/store.ts";
import type { Place } from "./place.ts";
import {
  type Beginning,
  beginSubscription,
  isEnrolled,
  linkSubscription,
  type NewSubscription,
  type Subscription,
  type SubscriptionChange,
} from "./subscriptions.ts";

type BankAccount = Resource<"bank-accounts">;

/** A card with the subscription by which it is enrolled. */
export interface EnrolledCard {
  readonly card: Resource<"cards">;
  readonly subscription: Subscription;
}

/** What a card is enrolled with. */
export interface NewCard extends Place, Pick<NewSubscription, "feedId" | "customerReferenceId"> {
  readonly last4: string;
  readonly network: string;
  /** The bank account that it belongs to from the start. */
  readonly bankAccount?: BankAccount | undefined;
}

/** Enrolls a card; what is to be told of it is told by the caller. */
export function enrollCard(ledger: Ledger, by: Beginning, newCard: NewCard): SubscriptionChange {
  const { accountId, subaccountId, last4, network, bankAccount } = newCard;
  const { feedId, customerReferenceId } = newCard;
  const [cardId, subscriptionId] = [ledger.random.id(), ledger.random.id()];
  const card = ledger.insert({
    ...{ kind: "cards", id: cardId, accountId, subaccountId, parent: subaccountId },
    body: bareBody("cards", cardId, subaccountId),
    hidden: { last4, network, subscriptionId },
  });
  if (bankAccount) takeCard(ledger, bankAccount, cardId);
  const bankAccountId = bankAccount?.id;
  const beginning = { id: subscriptionId, card, feedId, bankAccountId, customerReferenceId };
  return beginSubscription(ledger, by, beginning);
}

/** SUB-07: links a card to a connected bank account. Throws a Refusal 409 where it has one. */
export function linkCard(
  ledger: Ledger,
  { card, subscription }: EnrolledCard,
  bankAccount: BankAccount,
): SubscriptionChange {
  const change = linkSubscription(ledger, subscription, bankAccount.id);
  takeCard(ledger, bankAccount, card.id);
  return change;
}

/** TXN-17: an account's cards stand in the order in which they were linked. */
function takeCard(ledger: Ledger, bankAccount: BankAccount, cardId: string): void {
  bankAccount.hidden.cardIds.push(cardId);
  ledger.store.update(bankAccount);
}

/** The subaccount's enrolled cards, the first one first; of some last four digits, if given. */
export function enrolledCards(store: Store, subaccountId: string, last4?: string): EnrolledCard[] {
  return store
    .children("cards", subaccountId)
    .filter(({ hidden }) => last4 === undefined || hidden.last4 === last4)
    .map((card) => withSubscription(store, card))
    .filter(({ subscription }) => isEnrolled(subscription));
}

/** A card with its subscription. */
export function withSubscription(store: Store, card: Resource<"cards">): EnrolledCard {
  return { card, subscription: store.find("card-subscriptions", card.hidden.subscriptionId) };
}
