import { describeValue } from "../../src/contract/describe.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { OPEN_BANKING } from "../../src/contract/rules/vocabulary.ts";
import type { Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";
import { MAX_RECHECKS, Recheck } from "./crawl.ts";
import { bankTransactionIn, bankTransactionsIn, projectedMessages, textOf } from "./feed.ts";
import { type Observation, observationsOf } from "./observations.ts";

/**
 * A bank-only transaction with a settled amount although its bank transaction has a match (TXN-14).
 */
interface Unnetted {
  readonly transaction: Exchange;
  readonly match: Exchange;
  readonly name: string;
  readonly amount: string;
}

interface Netting {
  /** The number of bank-only transactions whose bank transaction has a match. */
  readonly compared: number;
  readonly unnetted: readonly Unnetted[];
}

interface Pair {
  readonly transaction: Observation;
  readonly match: Observation;
}

/**
 * Checks the settled amounts of bank-only transactions that a match assigns to a card transaction.
 */
export function compareNetting(session: Session): Promise<Netting> {
  return session.share("netting", async (own) => {
    const { transactions, matches } = await observationsOf(session);
    const byPosting = new Map(
      matches
        // A retracted match may still be served by its id.
        .filter(({ isListed }) => isListed)
        .flatMap((match) => bankTransactionsIn(match.body).map((id) => [id, match] as const)),
    );
    const pairs = transactions
      .filter(({ isListed }) => !isListed)
      .flatMap((transaction): Pair[] => {
        const match = byPosting.get(postingOf(transaction.body) ?? "");
        return match ? [{ transaction, match }] : [];
      });
    const suspects = pairs.filter(({ transaction: { body } }) => settledBy(body).length > 0);
    const recheck = new Recheck(own);
    const confirmed = await Promise.all(
      suspects.slice(0, MAX_RECHECKS).map((pair) => confirm(pair, recheck)),
    );
    return { compared: pairs.length, unnetted: confirmed.flat() };
  });
}

/** Refetches both: the match may be visible before the transaction's update. */
async function confirm({ transaction, match }: Pair, recheck: Recheck): Promise<Unnetted[]> {
  const [first, second] = [
    await recheck.fetch(match.exchange),
    await recheck.fetch(transaction.exchange),
  ];
  const id = textOf(match.body, "id");
  if (!second || id === undefined || !first?.response?.body.includes(id)) return [];
  return settledBy(second.response?.json).map((one) => {
    return { ...one, transaction: second, match: first };
  });
}

function settledBy(body: unknown): Pick<Unnetted, "name" | "amount">[] {
  return ["transactionSettledAmount", "cardholderBillingSettledAmount"].flatMap((name) => {
    const amount = memberOf(body, name);
    const isSettled = typeof amount === "number" && amount !== 0;
    return isSettled ? [{ name, amount: describeValue(amount) }] : [];
  });
}

/** The bank transaction of a bank-only transaction's only message; undefined if there is none. */
function postingOf(body: unknown): string | undefined {
  const messages = projectedMessages(body);
  const isBankOnly = textOf(body, "network") === OPEN_BANKING;
  return isBankOnly && messages?.length === 1 ? bankTransactionIn(messages[0]) : undefined;
}
