import type { Delivery } from "../deliveries/delivery.ts";
import type { VerbResult } from "../driver.ts";
import type { Session } from "../session.ts";
import type { Exchange } from "../transport/exchange.ts";
import { type Act, act, actInTime, has, type IsEnough, toldSince } from "./act.ts";
import { cardWithBank } from "./links.ts";
import { read } from "./purchases.ts";
import { readBankAccount, readTransaction } from "./read.ts";
import { accountWithoutCard, linkedLater } from "./subscriptions.ts";
import { isTold, matchesOf, messageIdsOf, ofEvent, projectedIn, textAt } from "./told.ts";

/** A movement that nothing but the bank knows of. */
export interface Standalone extends Act<VerbResult<"postAtBank">> {
  readonly bankAccountId: string;
  readonly bankTransactionId: string;
  readonly amount: number;
  /** What told of its transaction and of its message; left out where it never came. */
  readonly created?: Delivery;
  readonly message?: Delivery;
  readonly transactionId?: string;
  /** The transaction as the API shows it; the bank account where there is none. */
  readonly shown: Exchange;
  /** The messages that the transaction links to, as the API shows them. */
  readonly messages: readonly Exchange[];
}

const LATERNA = { amount: 47.83, merchant: "LATERNA BOOKS" };

/** On an account with cards: the first one was linked before all others. */
export function standalone(session: Session): Promise<Standalone & { cardId: string }> {
  return session.share("scenario: a movement stands alone", async (own) => {
    const { cardId, bankAccountId } = await cardWithBank(own);
    // TXN-17: with a second card there is an oldest one.
    if (has(own, "linkCard")) await linkedLater(own);
    return { ...(await postAlone(own, { bankAccountId, ...LATERNA })), cardId };
  });
}

/** On an account without a card. */
export function cardless(session: Session): Promise<Standalone> {
  return session.share("scenario: a movement of an account without a card", async (own) => {
    const bankAccountId = await accountWithoutCard(own);
    // So much that an amount in single precision shows.
    return postAlone(own, { bankAccountId, amount: 20_123.45 });
  });
}

/** A standalone transaction of whose movement the card side tells at last. */
export interface Explained extends Act<VerbResult<"tellLate">> {
  readonly standalone: Standalone;
  /** What announced the match of the movement; empty where there was none. */
  readonly matches: readonly Delivery[];
  /** As the API shows the standalone transaction then; the bank account where there is none. */
  readonly shown: Exchange;
}

/** The purchase that the movement is. */
export function explained(session: Session): Promise<Explained> {
  return session.share("scenario: card data comes late", async (own) => {
    const { cardId, ...alone } = await standalone(own);
    return tellLate(own, alone, { cardId, ...LATERNA });
  });
}

/** A purchase that the movement may be: how sure a match of it is, if any, is open. */
export function perhapsExplained(session: Session): Promise<Explained> {
  return session.share("scenario: card data comes late and differs", async (own) => {
    const { cardId, bankAccountId } = await cardWithBank(own);
    const merchant = "TEATRO ARRIAGA";
    const alone = await postAlone(own, { bankAccountId, amount: 149.27, merchant });
    return tellLate(own, alone, { cardId, amount: 124.4, merchant }, "an hour");
  });
}

async function tellLate(
  session: Session,
  alone: Standalone,
  told: { readonly cardId: string; readonly amount: number; readonly merchant: string },
  longest: "an hour" | "a month" = "a month",
): Promise<Explained> {
  const { bankTransactionId, transactionId } = alone;
  const purchase = { ...told, bankTransactionId };
  const isMatched: IsEnough = (deliveries) => matchesOf(deliveries, bankTransactionId).length > 0;
  const step = await actInTime(session, "tellLate", purchase, () => isMatched, longest);
  const matches = matchesOf(step.told, bankTransactionId);
  if (transactionId === undefined)
    return { ...step, standalone: alone, matches, shown: alone.shown };
  const then = await toldSince(session, step.since, (deliveries) => {
    return matches.length === 0 || isTold(deliveries, "transaction.updated", transactionId);
  });
  const shown = await readTransaction(session, transactionId);
  return { ...step, told: then, standalone: alone, matches, shown };
}

export async function postAlone(
  session: Session,
  posting: { readonly bankAccountId: string; readonly amount: number; readonly merchant?: string },
): Promise<Standalone> {
  const step = await act(session, "postAtBank", posting, ({ bankTransactionId }) => (told) => {
    const { created, message } = tellersOf(told, bankTransactionId, posting.amount);
    const isSynced = isTold(told, "banktransaction.created", bankTransactionId);
    return isSynced && created !== undefined && message !== undefined;
  });
  const { bankTransactionId } = step.result;
  const { created, message } = tellersOf(step.told, bankTransactionId, posting.amount);
  const transactionId = textAt(created?.json, "/id");
  const views = transactionId
    ? await read(session, transactionId)
    : { shown: await readBankAccount(session, posting.bankAccountId), messages: [] };
  return {
    ...{ ...step, ...posting, bankTransactionId, ...views },
    ...(created && { created }),
    ...(message && { message }),
    ...(transactionId !== undefined && { transactionId }),
  };
}

/**
 * What told of a movement's message and transaction: known by the bank transaction that they name,
 * or, so that one that breaks this is seen too, by their amount.
 */
function tellersOf(told: readonly Delivery[], bankTransactionId: string, amount: number) {
  const names = (message: unknown) =>
    textAt(message, "/bankData/bankTransactionId") === bankTransactionId;
  const messages = ofEvent(told, "transactionmessage.created");
  const message =
    messages.find(({ json }) => names(json)) ??
    ofEvent(messages, "transactionmessage.created", { "/transactionAmount": amount })[0];
  const id = textAt(message?.json, "/id");
  const transactions = ofEvent(told, "transaction.created");
  const created =
    transactions.find(({ json }) => id !== undefined && messageIdsOf(json).includes(id)) ??
    transactions.find(({ json }) => projectedIn(json).some(names)) ??
    ofEvent(transactions, "transaction.created", { "/transactionSettledAmount": amount })[0];
  return { created, message };
}
