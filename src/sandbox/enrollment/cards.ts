import type { EnrollmentTrigger } from "../../model/card-subscription.ts";
import { bareBody } from "../../model/links.ts";
import type { Resource } from "../store/resources.ts";
import type { Store } from "../store/store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { SubaccountRef } from "./subaccounts.ts";
import {
  createSubscription,
  isEnrolled,
  linkSubscription,
  type NewSubscription,
  type Subscription,
  type SubscriptionChange,
} from "./subscriptions.ts";

type BankAccount = Resource<"bank-accounts">;

/** A card with its subscription. */
interface EnrolledCard {
  readonly card: Resource<"cards">;
  readonly subscription: Subscription;
}

/** A card to enroll. */
interface NewCard extends SubaccountRef, Pick<NewSubscription, "feedId" | "customerReferenceId"> {
  readonly last4: string;
  readonly network: string;
  /** The bank account that it is linked to from the start. */
  readonly bankAccount?: BankAccount | undefined;
}

/** Enrolls a card. The caller announces the change. */
export function enrollCard(
  work: UnitOfWork,
  by: EnrollmentTrigger,
  newCard: NewCard,
): SubscriptionChange {
  const { accountId, subaccountId, last4, network, bankAccount } = newCard;
  const { feedId, customerReferenceId } = newCard;
  const [cardId, subscriptionId] = [work.random.id(), work.random.id()];
  const card = work.insert({
    ...{ kind: "cards", id: cardId, accountId, subaccountId, parent: subaccountId },
    body: bareBody("cards", cardId, subaccountId),
    internal: { last4, network, subscriptionId },
  });
  if (bankAccount) addCardToAccount(work, bankAccount, cardId);
  const bankAccountId = bankAccount?.id;
  const beginning = { id: subscriptionId, card, feedId, bankAccountId, customerReferenceId };
  return createSubscription(work, by, beginning);
}

/**
 * SUB-07: links a card to a connected bank account.
 *
 * @throws {Refusal} 409 if it has one
 */
export function linkCard(
  work: UnitOfWork,
  { card, subscription }: EnrolledCard,
  bankAccount: BankAccount,
): SubscriptionChange {
  const change = linkSubscription(work, subscription, bankAccount.id);
  addCardToAccount(work, bankAccount, card.id);
  return change;
}

/** TXN-17: an account's cards are in the order in which they were linked. */
function addCardToAccount(work: UnitOfWork, bankAccount: BankAccount, cardId: string): void {
  bankAccount.internal.cardIds.push(cardId);
  work.store.update(bankAccount);
}

/** The enrolled cards of a subaccount, oldest first, optionally by their last four digits. */
export function enrolledCards(store: Store, subaccountId: string, last4?: string): EnrolledCard[] {
  return store
    .children("cards", subaccountId)
    .filter(({ internal }) => last4 === undefined || internal.last4 === last4)
    .map((card) => withSubscription(store, card))
    .filter(({ subscription }) => isEnrolled(subscription));
}

/** A card with its subscription. */
export function withSubscription(store: Store, card: Resource<"cards">): EnrolledCard {
  return { card, subscription: store.find("card-subscriptions", card.internal.subscriptionId) };
}

/** The id of the bank account that a card is linked to, if any. */
export function bankAccountOfCard(store: Store, cardId: string | null): string | undefined {
  if (cardId === null) return undefined;
  return withSubscription(store, store.find("cards", cardId)).subscription.body.bankAccountId;
}
