import type {
  EnrollParams,
  LinkCardParams,
  SubscriptionParams,
  VerbResults,
} from "../../../generated/control-types.ts";
import { cardDataArrived } from "../activity/rematch.ts";
import { adviceForSubject } from "../advice.ts";
import { named, subjectOf } from "../lookup.ts";
import { conflict } from "../refusal.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { VerbHandlers } from "../verbs/verb.ts";
import { type BankAccount, bankAccountsIn, isConnected, waitingAccount } from "./bank-accounts.ts";
import {
  cardNetwork,
  drawDigits,
  enrollCard,
  enrolledCards,
  linkCard,
  takenDigits,
  withSubscription,
} from "./cards.ts";
import { subaccountFor } from "./subaccounts.ts";
import {
  announceSubscription,
  canChangeSubscription,
  changeSubscriptionState,
  isEnrolled,
  type Subscription,
  type SubscriptionChange,
  subscriptionTransition,
  upgradeSubscription,
} from "./subscriptions.ts";

type SubscriptionVerb = "sca-pass" | "sca-fail" | "upgrade" | "deactivate";

/** The verbs of a card's enrollment. */
export const cardVerbs: VerbHandlers<"enroll" | "link-card" | SubscriptionVerb> = {
  enroll,
  "sca-pass": (work, params) => {
    const subscription = subscriptionFor(work, "sca-pass", params);
    return announceAndReturn(work, changeSubscriptionState(work, subscription, "sca-pass"));
  },
  "sca-fail": (work, params) => {
    const subscription = subscriptionFor(work, "sca-fail", params);
    const { sends } = subscriptionTransition(subscription, "sca-fail");
    return announceAndReturn(work, { subscription, sends });
  },
  upgrade: (work, params) => {
    const subscription = subscriptionFor(work, "upgrade", params);
    return announceAndReturn(work, upgradeSubscription(work, subscription));
  },
  deactivate: (work, params) => {
    const subscription = subscriptionFor(work, "deactivate", params);
    return announceAndReturn(work, changeSubscriptionState(work, subscription, "deactivate"));
  },
  "link-card": linkLater,
};

function enroll(work: UnitOfWork, params: EnrollParams): VerbResults["enroll"] {
  const { store } = work;
  const { customerReferenceId } = params;
  const network = cardNetwork(work, "a", params.network);
  const place = subaccountFor(work, params);
  const { subaccountId } = place;
  const draw = () => drawDigits(work, takenDigits(store, subaccountId));
  const last4 = params.cardNumber?.slice(-4) ?? draw();
  // Cards are identified by last four digits and network.
  const same = enrolledCards(store, subaccountId, last4).find(
    ({ card }) => card.internal.network === network,
  );
  if (same && canChangeSubscription(same.subscription, "upgrade")) {
    const change = upgradeSubscription(work, same.subscription, customerReferenceId);
    return announceAndReturn(work, change);
  }
  if (same) {
    const by = `by card subscription ${same.subscription.id}`;
    throw conflict(`the card of ${network} that ends in ${last4} is enrolled already, ${by}`);
  }
  const bankAccount = waitingAccount(store, subaccountId, last4);
  const card = { ...place, last4, network, customerReferenceId, bankAccount };
  return announceAndReturn(work, enrollCard(work, "enroll", card));
}

function linkLater(work: UnitOfWork, params: LinkCardParams): VerbResults["link-card"] {
  const { store } = work;
  const { accountId, cardId, bankAccountId } = params;
  const account = bankAccountId && named(store, "bank-accounts", bankAccountId, accountId);
  const accountsIn = (subaccountId: string): BankAccount[] => {
    const all = account ? [account] : bankAccountsIn(store, subaccountId).filter(isConnected);
    return all.filter((one) => one.subaccountId === subaccountId);
  };
  const owner = accountId ?? (account ? account.accountId : undefined);
  const advise = () => adviceForSubject(store, "link-card", params);
  const which = { id: cardId, accountId: owner, verb: "link-card", advise };
  const card = subjectOf(store, "cards", which, (candidate) => {
    const { subscription } = withSubscription(store, candidate);
    const isFree = isEnrolled(subscription) && !subscription.body.bankAccountId;
    return isFree && accountsIn(candidate.subaccountId).length > 0;
  });
  const chosen = accountsIn(card.subaccountId).at(-1);
  if (!chosen) throw conflict(`there is no such bank account in the subaccount of card ${card.id}`);
  if (!isConnected(chosen)) throw conflict(`bank account ${chosen.id} is disconnected`);
  const result = announceAndReturn(work, linkCard(work, withSubscription(store, card), chosen));
  cardDataArrived(work, chosen.id);
  return result;
}

/** The given subscription, or the latest that the verb applies to. */
function subscriptionFor(
  { store }: UnitOfWork,
  verb: SubscriptionVerb,
  { accountId, subscriptionId }: SubscriptionParams,
): Subscription {
  const advise = () => adviceForSubject(store, verb, { accountId });
  const which = { id: subscriptionId, accountId, verb, advise };
  return subjectOf(store, "card-subscriptions", which, (one) => canChangeSubscription(one, verb));
}

/** Announces a change, and returns its ids. */
function announceAndReturn(work: UnitOfWork, change: SubscriptionChange): VerbResults["enroll"] {
  announceSubscription(work, change);
  const { id, body } = change.subscription;
  return { subscriptionId: id, cardId: body.cardId };
}
