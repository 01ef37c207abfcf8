import { type Json, shows } from "../rewrite.ts";
import type { Condition, Past } from "./operations.ts";

// What an event is about, and what happened before it.

const before = ({ own }: Past): Json => own.at(-1)?.body ?? {};

export const always: Condition = () => true;

export { shows };

export function not(condition: Condition): Condition {
  return (body, past) => !condition(body, past);
}

// Card subscriptions.

export const isEnd = shows({ state: "deactivated" });

export const isScaCleared: Condition = (body, past) =>
  before(past).state === "reqSCA" && body.state === "active";

export const isUpgrade: Condition = (body, past) =>
  before(past).enrollmentType === "bank-feed" && body.enrollmentType !== "bank-feed";

export const isLinked: Condition = (body, past) =>
  body.bankAccountId !== undefined && before(past).bankAccountId === undefined;

/** An earlier event gave the enrolled card its bank account. */
export const wasLinked: Condition = (_, past) =>
  past.own[0]?.body.bankAccountId === undefined && before(past).bankAccountId !== undefined;

export const wasUpgraded: Condition = (_, past) =>
  past.own[0]?.body.enrollmentType === "bank-feed" && before(past).enrollmentType !== "bank-feed";

export const isBesideFeed: Condition = (_, { work, accountId }) =>
  work.store
    .latest("network-bulk-feeds", accountId)
    .some(({ internal }) => internal.state === "submitted");

/** The ended subscriptions of the cards of a bank account. */
export function endedAt({ bankAccountId }: Json, { work, accountId }: Past): Json[] {
  const all: Json[] = work.store.latest("card-subscriptions", accountId);
  return all.filter(({ body }) => {
    return body.bankAccountId === bankAccountId && body.state === "deactivated";
  });
}

// Connections of bank accounts. The account of an event is its own, or that of its posting or card.

interface Change {
  readonly account: string;
  readonly from: string;
  readonly to: string;
}

function changesIn(events: Past["all"]): Change[] {
  return events
    .filter(({ name }) => name === "bankaccount.state_changed")
    .map(({ resource: account, body: { previousState: from, state: to } }) => {
      return { account, from, to };
    });
}

function accountOf(body: Json, past: Past): string | undefined {
  if (body.bankAccountId !== undefined) return body.bankAccountId;
  const posting = isBankOnly(body)
    ? before(past).bankData?.bankTransactionId
    : body.bankTransactionId;
  if (posting === undefined) return subscriptionOf(body, past)?.body.bankAccountId;
  return past.all.find(({ name, resource }) => {
    return name === "banktransaction.created" && resource === posting;
  })?.body.bankAccountId;
}

function subscriptionOf({ cardId }: Json, { work }: Past): Json {
  return cardId ? work.store.children("card-subscriptions", cardId)[0] : undefined;
}

/** The account is in a state. */
export function isWhile(state: string): Condition {
  return (body, past) => {
    const account = accountOf(body, past);
    return changesIn(past.all).findLast((one) => one.account === account)?.to === state;
  };
}

/** The account is active again after a state. */
export function isAfter(state: string): Condition {
  return (body, past) => {
    const account = accountOf(body, past);
    const own = changesIn(past.all).filter((one) => one.account === account);
    return own.some(({ from }) => from === state) && own.at(-1)?.to === "active";
  };
}

/** The connection was lost after the consent to the account had expired. */
export const isLostTwice: Condition = ({ bankAccountId }, past) =>
  changesIn(past.all).some(({ account, from, to }) => {
    return account === bankAccountId && from === "auth_required" && to === "disconnected";
  });

/** The latest change of the account was the recovery of an expired consent. */
export const isRenewed: Condition = (_, past) => {
  const { from, to } = changesIn(past.own).at(-1) ?? {};
  return from === "auth_required" && to === "active";
};

/** Another account of the customer is disconnected. */
export const isBesideLoss: Condition = ({ bankAccountId }, past) => {
  const states = new Map(changesIn(past.all).map(({ account, to }) => [account, to]));
  states.delete(bankAccountId);
  return [...states.values()].includes("disconnected");
};

export const hasMovement: Condition = ({ bankAccountId }, { all }) =>
  all.some(({ name, body }) => {
    return name === "banktransaction.created" && body.bankAccountId === bankAccountId;
  });

/** Some account of the customer was disconnected and is connected again. */
export const hasRecovery: Condition = (_, past) =>
  changesIn(past.all).some(({ from }) => from === "disconnected");

/** The account of the purchase was reconnected since the purchase. */
export const isReconnected: Condition = (body, past) => {
  const start = past.all.findIndex((one) => {
    return one.name === "transaction.created" && one.body.id === body.id;
  });
  const account = accountOf(body, past);
  return changesIn(past.all.slice(start)).some((one) => {
    return one.account === account && one.to === "active";
  });
};

// Purchases, postings and matches.

export const isBankOnly = shows({ network: "OPEN_BANKING" });
export const isPurchase = not(isBankOnly);
export const isRemoval = shows({ reason: "bank_transaction_retired" });
export const isRematch = shows({ reason: "rematch_superseded" });
export const isNetting = shows({ network: "OPEN_BANKING", transactionSettledAmount: 0 });

const isCardClearing = ({ name, body }: Past["all"][number]) =>
  name === "transactionmessage.created" && body.messageType === "FINL_ADVC" && !body.bankData;

const wasSettled = ({ own }: Past) => own.some(({ body }) => body.status === "SETTLED");

/** A settled transaction changes because its network has just cleared it. */
export const isClearingOfSettled: Condition = (_, past) => {
  const last = past.own.at(-1);
  return last !== undefined && isCardClearing(last) && wasSettled(past);
};

/** A transaction changes because the bank's message has just settled it. */
export const isSettledByBank: Condition = (_, past) => before(past).bankData && !wasSettled(past);

/** The network has cleared the purchase of the match. */
export const isCleared: Condition = ({ cardTransactionId }, { all }) =>
  all.some((one) => one.resource === cardTransactionId && isCardClearing(one));

/** The subscription of the transaction's card has ended. */
export const isOfEndedCard: Condition = (body, past) =>
  subscriptionOf(body, past)?.body.state === "deactivated";

export const wasRematched: Condition = (_, { own }) =>
  own.some(({ body }) => body.reason === "rematch_superseded");

export const wasRetractedTwice: Condition = (_, { own }) =>
  own.filter(({ name }) => name === "transaction.match.deleted").length >= 2;
