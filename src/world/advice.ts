import { accountFor } from "./accounts.ts";
import { bankAccountOfCard, linkedCard, withSubscription } from "./linked-cards.ts";
import type { Given } from "./lookup.ts";
import type { Advice } from "./refusal.ts";
import type { Resource } from "./resources.ts";
import type { Store } from "./store.ts";

/** The most resources of a kind that advice searches. */
const MAX_SEARCHED = 100;

export const LINK: Advice = { text: "link a bank account first", verb: "link-complete" };
export const POST: Advice = { text: "post a movement first", verb: "bank-post" };
export const PURCHASE: Advice = { text: "make a purchase first", verb: "purchase" };
const ENROLL: Advice = { text: "enroll a card first", verb: "enroll" };
const DISCONNECT: Advice = { text: "disconnect a bank account first", verb: "disconnect" };

/** Adds the account to the parameters of advice. */
export function within({ accountId }: Given, advice: Advice): Advice {
  return accountId === undefined ? advice : { ...advice, params: { accountId, ...advice.params } };
}

/** A verb of a card's subscription or of a bank account. */
type SubjectVerb =
  | ("sca-pass" | "sca-fail" | "upgrade" | "deactivate" | "link-card")
  | ("consent-expire" | "disconnect" | "recover");

/** What to do if a verb applies to no resource of the account. */
export function adviceForSubject(store: Store, verb: SubjectVerb, which: Given): Advice {
  const owner = accountFor(store, which.accountId);
  const advice = () => {
    switch (verb) {
      case "deactivate":
        return passOf(store.latest("card-subscriptions", owner, MAX_SEARCHED)) ?? ENROLL;
      case "link-card": {
        const [account] = store.latest("bank-accounts", owner, 1);
        return account ? { ...ENROLL, params: { subaccountId: account.subaccountId } } : LINK;
      }
      case "recover":
        return DISCONNECT;
      case "sca-pass":
      case "sca-fail":
        return ENROLL;
      default:
        // SUB-10: the link of a credit account also mints a card to upgrade.
        return LINK;
    }
  };
  return within(which, advice());
}

/** What to do if a card, or every card of the account, can't be used for purchases. */
export function adviceForCard(
  store: Store,
  which: Given,
  card: Resource<"cards"> | undefined,
): Advice {
  const subscriptions = card
    ? [withSubscription(store, card).subscription]
    : store.latest("card-subscriptions", accountFor(store, which.accountId), MAX_SEARCHED);
  const another = { ...ENROLL, text: "enroll another card" };
  return activationOf(subscriptions) ?? within(which, card ? another : ENROLL);
}

/** What to do if there is no movement that card data can explain. */
export function adviceForMovement(store: Store, which: Given): Advice {
  const accounts = bankAccounts(store, which);
  const ready = accounts.find(({ id }) => linkedCard(store, id) !== undefined);
  if (!ready) return within(which, activationIn(store, accounts) ?? LINK);
  return {
    text: "post a movement without a purchase first",
    verb: "bank-post",
    // A posting with an amount of its own is for no purchase.
    params: { bankAccountId: ready.id, amount: 1250 },
  };
}

/** What to do if there is no match to repeat, of the given resource or of the account. */
export function adviceForMatch(
  store: Store,
  which: Given<"transactionId" | "bankTransactionId">,
): Advice {
  const { transactionId, bankTransactionId } = which;
  if (transactionId !== undefined) return postingOf(transactionId);
  if (bankTransactionId !== undefined) {
    const params = { bankTransactionId };
    return { text: "send its card data first", verb: "late-card-data", params };
  }
  const owner = accountFor(store, which.accountId);
  const unmatched = store
    .latest("transactions", owner, MAX_SEARCHED)
    .find(({ open, body }) => open && bankAccountOfCard(store, body.cardId) !== undefined);
  if (unmatched) return postingOf(unmatched.id);
  const accounts = bankAccounts(store, which);
  const isReady = accounts.some(({ id }) => linkedCard(store, id) !== undefined);
  return within(which, isReady ? PURCHASE : (activationIn(store, accounts) ?? LINK));
}

function postingOf(transactionId: string): Advice {
  const params = { transactionId };
  return { text: "post the purchase at the bank first", verb: "bank-post", params };
}

function bankAccounts(store: Store, { accountId }: Given): Resource<"bank-accounts">[] {
  return store.latest("bank-accounts", accountFor(store, accountId), MAX_SEARCHED);
}

/** How to make a card of these bank accounts usable, if there is one. */
function activationIn(
  store: Store,
  accounts: readonly Resource<"bank-accounts">[],
): Advice | undefined {
  const cards = accounts.flatMap(({ internal }) => internal.cardIds);
  const found = cards.map((id) => withSubscription(store, store.find("cards", id)).subscription);
  return activationOf(found);
}

/** How to make a card of one of these subscriptions usable, if one can be. */
function activationOf(subscriptions: readonly Resource<"card-subscriptions">[]) {
  const upgradable = subscriptions.find(({ body }) => {
    return body.state === "active" && body.enrollmentType === "bank-feed";
  });
  const upgrade: Advice | undefined = upgradable && {
    text: "upgrade the bank-feed card first",
    verb: "upgrade",
    params: { subscriptionId: upgradable.id },
  };
  return passOf(subscriptions) ?? upgrade;
}

function passOf(subscriptions: readonly Resource<"card-subscriptions">[]): Advice | undefined {
  const waiting = subscriptions.find(({ body }) => body.state === "reqSCA");
  return (
    waiting && {
      text: "pass the authentication of the card first",
      verb: "sca-pass",
      params: { subscriptionId: waiting.id },
    }
  );
}
