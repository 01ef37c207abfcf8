import { OPEN_BANKING } from "../../model/transaction.ts";
import { accountFor } from "../accounts.ts";
import { adviceForCard, adviceForMovement, LINK, POST, PURCHASE, within } from "../advice.ts";
import { bankAccountOfCard, canPurchase, linkedCard } from "../linked-cards.ts";
import { type Given, type Named, named, namedOrLatest } from "../lookup.ts";
import { type Advice, conflict } from "../refusal.ts";
import type { Kind, Resource } from "../resources.ts";
import { nameOf } from "../resources.ts";
import type { Store } from "../store.ts";

/**
 * Finds the resource of a verb: the given one, or the latest one that fits.
 *
 * @param why the condition, for the error message
 * @param advise what to do if the given resource, or none, fits
 * @throws {Refusal} 404 if no resource has the id; 409 if it does not fit, or none does
 */
function namedOrDefault<K extends Kind>(
  store: Store,
  kind: K,
  {
    why,
    advise,
    fits,
    ...which
  }: Named & {
    readonly why: string;
    readonly advise: (found: Resource<K> | undefined) => Advice;
    readonly fits: (resource: Resource<K>) => boolean;
  },
): Resource<K> {
  const found = namedOrLatest(store, kind, which, fits);
  if (found && fits(found)) return found;
  const problem = found
    ? `${nameOf(kind)} ${found.id} is not ${why}`
    : `there is no ${nameOf(kind)} that is ${why}`;
  throw conflict(problem, advise(found));
}

/** An active card of a network, preferably one that is linked to a bank account. */
export function cardForPurchase(store: Store, params: Given<"cardId">): Resource<"cards"> {
  const { cardId: id, accountId } = params;
  const why = "enrolled with its network and active";
  const fits = (card: Resource<"cards">) => canPurchase(store, card);
  const isLinked = (card: Resource<"cards">) => bankAccountOfCard(store, card.id) !== undefined;
  if (id === undefined) {
    const linked = namedOrLatest(store, "cards", { accountId }, (card) => {
      return fits(card) && isLinked(card);
    });
    if (linked) return linked;
  }
  const advise = (card?: Resource<"cards">) => adviceForCard(store, params, card);
  return namedOrDefault(store, "cards", { id, accountId, why, fits, advise });
}

/** A purchase that the network has not cleared completely. */
export function purchaseToClear(
  store: Store,
  params: Given<"transactionId">,
): Resource<"transactions"> {
  return namedOrDefault(store, "transactions", {
    id: params.transactionId,
    accountId: params.accountId,
    why: "waiting to be cleared",
    advise: (found) =>
      within(params, found ? { ...PURCHASE, text: "make another purchase" } : PURCHASE),
    fits: ({ internal }) => internal.authorized !== null && !internal.declined && !internal.cleared,
  });
}

/** A bank transaction that is not deleted. */
export function latestMovement(
  store: Store,
  params: Given<"bankTransactionId">,
): Resource<"bank-transactions"> {
  return namedOrDefault(store, "bank-transactions", {
    id: params.bankTransactionId,
    accountId: params.accountId,
    why: "in the feed",
    advise: () => within(params, POST),
    fits: ({ internal }) => !internal.deleted,
  });
}

/** A bank-only debit. If no card is given, its account must have an active card. */
export function movementToExplain(
  store: Store,
  params: Given<"bankTransactionId" | "cardId">,
): Resource<"bank-transactions"> {
  return namedOrDefault(store, "bank-transactions", {
    id: params.bankTransactionId,
    accountId: params.accountId,
    why: "an unmatched debit of an account with an active card",
    advise: () => adviceForMovement(store, params),
    fits: ({ internal, parent }) => {
      const { matchId, standaloneId, deleted, posting } = internal;
      if (matchId !== null || standaloneId === null || deleted) return false;
      const hasCard = params.cardId !== undefined || linkedCard(store, parent) !== undefined;
      return posting.transactionType === "debit" && hasCard;
    },
  });
}

/** The duplicates of a bank transaction. */
export function twinsOf(
  store: Store,
  { id, parent, day, internal }: Resource<"bank-transactions">,
): Resource<"bank-transactions">[] {
  const { cents, currency, description, transactionType } = internal.posting;
  return store.children("bank-transactions", parent, { from: day, to: day }).filter((other) => {
    const { posting, deleted } = other.internal;
    if (other.id === id || deleted || posting.currency !== currency) return false;
    const isSameMoney = posting.cents === cents && posting.transactionType === transactionType;
    return isSameMoney && posting.description === description;
  });
}

/** The account for a posting: the given one, or the latest one in any state. */
export function accountToPostTo(
  store: Store,
  params: Given<"bankAccountId">,
): Resource<"bank-accounts"> {
  return namedOrDefault(store, "bank-accounts", {
    id: params.bankAccountId,
    accountId: params.accountId,
    why: "linked",
    advise: () => within(params, LINK),
    fits: () => true,
  });
}

/** The matches to repeat. Default: the latest match. */
export function matchesToRepeat(
  store: Store,
  params: Given<"transactionId" | "bankTransactionId" | "bankAccountId">,
): Resource<"transaction-matches">[] {
  const { transactionId, bankTransactionId, bankAccountId, accountId } = params;
  const found = (id: string) => store.find("transaction-matches", id);
  if (transactionId !== undefined) {
    const { taken } = named(store, "transactions", transactionId, accountId).internal;
    return taken.map(({ matchId }) => found(matchId));
  }
  if (bankTransactionId !== undefined) {
    const movement = named(store, "bank-transactions", bankTransactionId, accountId);
    const { matchId } = movement.internal;
    return matchId === null ? [] : [found(matchId)];
  }
  if (bankAccountId !== undefined) {
    named(store, "bank-accounts", bankAccountId, accountId);
    return store
      .children("bank-transactions", bankAccountId)
      .flatMap(({ internal: { matchId } }) => (matchId === null ? [] : [found(matchId)]));
  }
  return store.latest("transaction-matches", accountFor(store, accountId), 1);
}

/** A message of a transaction. Default: the latest message of a purchase. */
export function messageToEnrich(
  store: Store,
  { messageId, transactionId, accountId }: Given<"messageId" | "transactionId">,
): Resource<"transaction-messages"> {
  if (messageId === undefined && transactionId !== undefined) {
    const [first] = named(store, "transactions", transactionId, accountId).internal.messages;
    return store.find("transaction-messages", first?.id ?? "");
  }
  return namedOrDefault(store, "transaction-messages", {
    id: messageId,
    accountId,
    why: "of a card's purchase",
    advise: () => within({ accountId }, PURCHASE),
    fits: ({ body }) => messageId !== undefined || body.network !== OPEN_BANKING,
  });
}
