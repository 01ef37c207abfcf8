import {
  ENROLLMENT_TYPES,
  type EnrollmentTrigger,
  linkedSubscription,
  SUBSCRIPTION_TRANSITIONS,
  type SubscriptionState,
  type SubscriptionTrigger,
} from "../../model/card-subscription.ts";
import { bareBody, linkTo } from "../../model/links.ts";
import { applies } from "../../model/state-machine.ts";
import type { EnrolledCard } from "../linked-cards.ts";
import { conflict } from "../refusal.ts";
import type { Resource } from "../resources.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { SubaccountRef } from "./subaccounts.ts";

export type Subscription = Resource<"card-subscriptions">;

type BankAccount = Resource<"bank-accounts">;

type SubscriptionEvent = "cardsubscription.created" | "cardsubscription.updated";

/** A changed subscription, and the events that will announce it. */
export interface SubscriptionChange {
  readonly subscription: Subscription;
  readonly sends: readonly SubscriptionEvent[];
}

/** SUB-09: announces a change. */
export function announceSubscription(
  work: UnitOfWork,
  { subscription, sends }: SubscriptionChange,
): void {
  const { id, accountId, body } = subscription;
  for (const name of sends) work.announce(name, { accountId, resource: id }, body);
}

/** A card to enroll. */
interface NewCard extends SubaccountRef {
  readonly last4: string;
  readonly network: string;
  /** SUB-02: only for `enroll-in-bulk`. */
  readonly feedId?: string | undefined;
  /** The bank account that it is linked to from the start (SUB-03). */
  readonly bankAccount?: BankAccount | undefined;
  readonly customerReferenceId?: string | null | undefined;
}

/** SUB-04: enrolls a card. The caller announces the change. */
export function enrollCard(
  work: UnitOfWork,
  trigger: EnrollmentTrigger,
  { accountId, subaccountId, last4, network, feedId, bankAccount, ...newCard }: NewCard,
): SubscriptionChange {
  const [cardId, id] = [work.random.id("card"), work.random.id("subscription")];
  work.insert({
    ...{ kind: "cards", id: cardId, accountId, subaccountId, parent: subaccountId },
    body: bareBody("cards", cardId, subaccountId),
    internal: { last4, network, subscriptionId: id },
  });
  if (bankAccount) addCardToAccount(work, bankAccount, cardId);
  const { to, sends } = requireTransition(SUBSCRIPTION_TRANSITIONS, trigger, "new");
  const { customerReferenceId = null } = newCard;
  const bankAccountId = bankAccount?.id;
  const at = work.now();
  const body = {
    ...{ id, subaccountId, cardId, enrollmentType: ENROLLMENT_TYPES[trigger], state: to },
    networkBulkFeedId: feedId ?? null,
    ...(bankAccountId !== undefined && { bankAccountId }),
    ...{ customerReferenceId, ...validity(work), createdAt: at, updatedAt: at },
    _links: {
      self: linkTo("card-subscriptions", id),
      card: linkTo("cards", cardId),
      // SUB-02, SUB-03: a link is present if and only if its id is.
      ...(feedId !== undefined && { networkBulkFeed: linkTo("network-bulk-feeds", feedId) }),
      ...(bankAccountId !== undefined && { bankAccount: linkTo("bank-accounts", bankAccountId) }),
    },
  } as Subscription["body"];
  const subscription = work.insert({
    ...{ kind: "card-subscriptions", id, accountId, subaccountId, parent: cardId },
    ...{ body, internal: {} },
  });
  return { subscription, sends };
}

/** A subscription is valid for three years. */
function validity(work: UnitOfWork) {
  const effectiveDate = `${work.today()}T00:00:00.000Z`;
  const end = new Date(effectiveDate);
  end.setUTCFullYear(end.getUTCFullYear() + 3);
  return { effectiveDate, expirationDate: end.toISOString() };
}

const stateOf = ({ body }: Subscription) => body.state as SubscriptionState;

/** Whether a card is enrolled. */
export const isEnrolled = (subscription: Subscription) => stateOf(subscription) !== "deactivated";

/** Whether a trigger applies to a subscription. */
export function canChangeSubscription(
  subscription: Subscription,
  trigger: SubscriptionTrigger,
): boolean {
  if (trigger === "upgrade" && subscription.body.enrollmentType !== "bank-feed") return false;
  return applies(SUBSCRIPTION_TRANSITIONS, trigger, stateOf(subscription));
}

/**
 * Finds the transition of a subscription.
 *
 * @throws {Refusal} 409 if the trigger does not apply
 */
export function subscriptionTransition(subscription: Subscription, trigger: SubscriptionTrigger) {
  const { id, accountId } = subscription;
  const what = `card subscription ${id}`;
  const subject = { accountId, subscriptionId: id };
  return requireTransition(SUBSCRIPTION_TRANSITIONS, trigger, stateOf(subscription), what, subject);
}

/**
 * SUB-06: upgrades a bank-feed subscription to its real card number.
 *
 * @throws {Refusal} 409 if it is not a bank-feed subscription
 */
export function upgradeSubscription(
  work: UnitOfWork,
  subscription: Subscription,
  customerReferenceId = subscription.body.customerReferenceId,
): SubscriptionChange {
  const { id, body } = subscription;
  if (body.enrollmentType !== "bank-feed") {
    const message = `upgrade applies to bank-feed, but card subscription ${id} is`;
    throw conflict(`${message} ${body.enrollmentType}`);
  }
  const upgraded = { ...body, enrollmentType: "cardholder-single" as const, customerReferenceId };
  return changeSubscription(work, subscription, "upgrade", upgraded);
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
  const { id, body } = subscription;
  if (body.bankAccountId !== undefined) {
    throw conflict(`card subscription ${id} has bank account ${body.bankAccountId} already`);
  }
  const linked = linkedSubscription(body, bankAccount.id);
  const change = changeSubscription(work, subscription, "link-card", linked);
  addCardToAccount(work, bankAccount, card.id);
  return change;
}

/** TXN-17: an account's cards are in the order in which they were linked. */
function addCardToAccount(work: UnitOfWork, bankAccount: BankAccount, cardId: string): void {
  bankAccount.internal.cardIds.push(cardId);
  work.store.update(bankAccount);
}

/**
 * Changes a subscription.
 *
 * @throws {Refusal} 409 if the trigger does not apply
 */
export function changeSubscription(
  work: UnitOfWork,
  subscription: Subscription,
  trigger: SubscriptionTrigger,
  body = subscription.body,
): SubscriptionChange {
  const { to, sends } = subscriptionTransition(subscription, trigger);
  subscription.body = { ...body, state: to, updatedAt: work.nowAfter(body.updatedAt) };
  work.store.update(subscription);
  return { subscription, sends };
}
