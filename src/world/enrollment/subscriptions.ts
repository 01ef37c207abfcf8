import {
  ENROLLMENT_TYPES,
  type EnrollmentTrigger,
  linkedSubscription,
  SUBSCRIPTION_TRANSITIONS,
  type SubscriptionState,
  type SubscriptionTrigger,
} from "../../model/card-subscription.ts";
import { linkTo } from "../../model/links.ts";
import { applies } from "../../model/state-machine.ts";
import { conflict } from "../refusal.ts";
import type { Resource } from "../resources.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

export type Subscription = Resource<"card-subscriptions">;

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

/** A new subscription. */
export interface NewSubscription {
  readonly id: string;
  readonly card: Resource<"cards">;
  /** SUB-02: only for `enroll-in-bulk`. */
  readonly feedId?: string | undefined;
  /** The linked bank account (SUB-03). */
  readonly bankAccountId?: string | undefined;
  readonly customerReferenceId?: string | null | undefined;
}

/** SUB-04: creates a subscription. */
export function createSubscription(
  work: UnitOfWork,
  trigger: EnrollmentTrigger,
  { id, card, feedId, bankAccountId, customerReferenceId = null }: NewSubscription,
): SubscriptionChange {
  const { to, sends } = requireTransition(SUBSCRIPTION_TRANSITIONS, trigger, "new");
  const { accountId, subaccountId } = card;
  const at = work.now();
  const body = {
    ...{ id, subaccountId, cardId: card.id, enrollmentType: ENROLLMENT_TYPES[trigger], state: to },
    networkBulkFeedId: feedId ?? null,
    ...(bankAccountId !== undefined && { bankAccountId }),
    ...{ customerReferenceId, ...validity(work), createdAt: at, updatedAt: at },
    _links: {
      self: linkTo("card-subscriptions", id),
      card: linkTo("cards", card.id),
      // SUB-02, SUB-03: a link is present if and only if its id is.
      ...(feedId !== undefined && { networkBulkFeed: linkTo("network-bulk-feeds", feedId) }),
      ...(bankAccountId !== undefined && { bankAccount: linkTo("bank-accounts", bankAccountId) }),
    },
  } as Subscription["body"];
  const subscription = work.insert({
    ...{ kind: "card-subscriptions", id, accountId, subaccountId, parent: card.id },
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
 * Changes the state of a subscription.
 *
 * @throws {Refusal} 409 if the trigger does not apply
 */
export function changeSubscriptionState(
  work: UnitOfWork,
  subscription: Subscription,
  trigger: "sca-pass" | "deactivate",
): SubscriptionChange {
  return change(work, subscription, trigger, subscription.body);
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
  return change(work, subscription, "upgrade", upgraded);
}

/**
 * SUB-07: links a subscription to a bank account.
 *
 * @throws {Refusal} 409 if it has one
 */
export function linkSubscription(
  work: UnitOfWork,
  subscription: Subscription,
  bankAccountId: string,
): SubscriptionChange {
  const { id, body } = subscription;
  if (body.bankAccountId !== undefined) {
    throw conflict(`card subscription ${id} has bank account ${body.bankAccountId} already`);
  }
  return change(work, subscription, "link-card", linkedSubscription(body, bankAccountId));
}

function change(
  work: UnitOfWork,
  subscription: Subscription,
  trigger: SubscriptionTrigger,
  body: Subscription["body"],
): SubscriptionChange {
  const { to, sends } = subscriptionTransition(subscription, trigger);
  subscription.body = { ...body, state: to, updatedAt: work.nowAfter(body.updatedAt) };
  work.store.update(subscription);
  return { subscription, sends };
}
