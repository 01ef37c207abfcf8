import type { Networks } from "../../contract/index.ts";
import type { EnrollmentTrigger } from "../../model/card-subscription.ts";
import { bareBody } from "../../model/links.ts";
import { type EnrolledCard, withSubscription } from "../linked-cards.ts";
import { badRequest, conflict } from "../refusal.ts";
import type { Resource } from "../resources.ts";
import type { Store } from "../store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { SubaccountRef } from "./subaccounts.ts";
import {
  createSubscription,
  isEnrolled,
  linkSubscription,
  type NewSubscription,
  type SubscriptionChange,
} from "./subscriptions.ts";

type BankAccount = Resource<"bank-accounts">;

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
  const [cardId, subscriptionId] = [work.random.id("card"), work.random.id("subscription")];
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
    .children("cards", subaccountId, { mentions: last4 })
    .filter(({ internal }) => last4 === undefined || internal.last4 === last4)
    .map((card) => withSubscription(store, card))
    .filter(({ subscription }) => isEnrolled(subscription));
}

/** The given code of a card network, or the usual one. Throws a Refusal 400 for another code. */
export function cardNetwork(
  { settings }: UnitOfWork,
  usual: keyof Networks,
  code?: string,
): string {
  const { a, b, c } = settings.networks;
  if (code === undefined) return settings.networks[usual];
  if ([a, b, c].includes(code)) return code;
  throw badRequest(`network takes ${a}, ${b} or ${c}, not "${code}"`);
}

const ALL = 10_000;

/** The last four digits of a subaccount's cards and bank accounts. */
export function takenDigits(store: Store, subaccountId: string): Set<string> {
  const cards = store.children("cards", subaccountId).map(({ internal }) => internal.last4);
  const accounts = store
    .children("bank-links", subaccountId)
    .flatMap(({ internal }) => internal.accounts.map(({ mask }) => mask));
  return new Set([...cards, ...accounts]);
}

/**
 * Draws four digits that are not taken, and adds them to `taken`.
 *
 * @throws {Refusal} 409 if all are taken
 */
export function drawDigits(work: UnitOfWork, taken: Set<string>): string {
  if (taken.size === ALL) throw conflict("all last four digits are taken in the subaccount");
  let number = work.random.below(ALL);
  while (taken.has(digitsOf(number))) number = (number + 1) % ALL;
  const drawn = digitsOf(number);
  taken.add(drawn);
  return drawn;
}

const digitsOf = (number: number) => String(number).padStart(4, "0");
