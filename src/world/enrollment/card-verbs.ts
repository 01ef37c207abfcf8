import * as z from "zod";
import type { RequirementId } from "../../../generated/requirements.ts";
import { cardDataArrived } from "../activity/rematch.ts";
import { adviceForSubject } from "../advice.ts";
import { Id, NetworkCode, textLike, verbParams } from "../fields.ts";
import { withSubscription } from "../linked-cards.ts";
import { named, subjectOf } from "../lookup.ts";
import { conflict } from "../refusal.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { type BankAccount, bankAccountsIn, isConnected, waitingAccount } from "./bank-accounts.ts";
import { cardNetwork, drawDigits, enrolledCards, takenDigits } from "./cards.ts";
import { subaccountFor } from "./subaccounts.ts";
import {
  announceSubscription,
  canChangeSubscription,
  changeSubscription,
  enrollCard,
  isEnrolled,
  linkCard,
  type Subscription,
  type SubscriptionChange,
  subscriptionTransition,
  upgradeSubscription,
} from "./subscriptions.ts";

type SubscriptionVerb = "sca-pass" | "sca-fail" | "upgrade" | "deactivate";

export const EnrollParams = verbParams({
  subaccountId: Id.optional(),
  cardNumber: textLike(/^\d{12,19}$/, "12 to 19 digits")
    .describe("12 to 19 digits; the sandbox keeps the last four. Default: random digits.")
    .optional(),
  network: NetworkCode.describe(
    "The code of a card network. Default: the code of NETWORK_A.",
  ).optional(),
  customerReferenceId: z.string().max(200).nullable().optional(),
}).describe("A card that a cardholder enrolls.");
export type EnrollParams = Of<typeof EnrollParams>;

export const SubscriptionParams = verbParams({ subscriptionId: Id.optional() }).describe(
  "A card subscription. Default: the latest one to which the verb applies.",
);
export type SubscriptionParams = Of<typeof SubscriptionParams>;

export const LinkCardParams = verbParams({
  cardId: Id.optional(),
  bankAccountId: Id.optional(),
}).describe("An enrolled card to link to a bank account that is already connected (SUB-07).");
export type LinkCardParams = Of<typeof LinkCardParams>;

const SubscriptionResult = z.object({ subscriptionId: z.string(), cardId: z.string() });

export const enroll = verb({
  name: "enroll",
  summary: "Enrolls a card, or upgrades a bank-feed card",
  requirements: ["SUB-04", "SUB-06"],
  params: EnrollParams,
  result: SubscriptionResult,
  example: { cardNumber: "4000000000004242", customerReferenceId: "customer-77" },
  run(work, params) {
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
  },
});

export const scaPass = subscriptionVerb({
  name: "sca-pass",
  summary: "Passes strong customer authentication",
  requirements: ["SUB-05"],
  change: (work, subscription) => changeSubscription(work, subscription, "sca-pass"),
});

export const scaFail = subscriptionVerb({
  name: "sca-fail",
  summary: "Fails strong customer authentication; the state remains reqSCA",
  requirements: [],
  change: (_work, subscription) => {
    const { sends } = subscriptionTransition(subscription, "sca-fail");
    return { subscription, sends };
  },
});

export const upgrade = subscriptionVerb({
  name: "upgrade",
  summary: "Enrolls the real number of a bank-feed card",
  requirements: ["SUB-06"],
  change: (work, subscription) => upgradeSubscription(work, subscription),
});

export const deactivate = subscriptionVerb({
  name: "deactivate",
  summary: "Ends the enrollment of a card",
  requirements: ["SUB-05"],
  change: (work, subscription) => changeSubscription(work, subscription, "deactivate"),
});

export const linkCardLater = verb({
  name: "link-card",
  summary: "Links an enrolled card to a connected bank account",
  requirements: ["SUB-07"],
  params: LinkCardParams,
  result: SubscriptionResult,
  example: {},
  run(work, params) {
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
    if (!chosen)
      throw conflict(`there is no such bank account in the subaccount of card ${card.id}`);
    if (!isConnected(chosen)) throw conflict(`bank account ${chosen.id} is disconnected`);
    const result = announceAndReturn(work, linkCard(work, withSubscription(store, card), chosen));
    cardDataArrived(work, chosen.id);
    return result;
  },
});

/** A verb that changes the given subscription, or the latest that it applies to. */
function subscriptionVerb<Name extends SubscriptionVerb>({
  change,
  ...parts
}: {
  readonly name: Name;
  readonly summary: string;
  readonly requirements: readonly RequirementId[];
  readonly change: (work: UnitOfWork, subscription: Subscription) => SubscriptionChange;
}) {
  return verb({
    ...parts,
    params: SubscriptionParams,
    result: SubscriptionResult,
    example: {},
    run: (work, params) => {
      return announceAndReturn(work, change(work, subscriptionFor(work, parts.name, params)));
    },
  });
}

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
function announceAndReturn(
  work: UnitOfWork,
  change: SubscriptionChange,
): Of<typeof SubscriptionResult> {
  announceSubscription(work, change);
  const { id, body } = change.subscription;
  return { subscriptionId: id, cardId: body.cardId };
}
