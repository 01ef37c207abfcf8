import { describeValue } from "../../src/contract/describe.ts";
import type { Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf, MAX_RECHECKS, Recheck } from "./crawl.ts";
import { linkedMessages } from "./differences.ts";
import { textOf } from "./feed.ts";
import { observationsOf } from "./observations.ts";

/** A message whose subaccount or card differs from its transaction's. */
interface OwnershipMismatch {
  readonly name: string;
  readonly message: Exchange;
  readonly transaction: Exchange;
  readonly actual: string;
  readonly expected: string;
}

interface OwnershipComparison {
  /**
   * The number of messages compared. Both the message and the transaction that links to it were
   * fetched by themselves.
   */
  readonly compared: number;
  readonly misowned: readonly OwnershipMismatch[];
}

interface Pair {
  readonly message: Exchange;
  readonly transaction: Exchange;
}

/**
 * Compares the subaccount and card of messages with those of the transaction that links to them.
 */
export function compareOwnership(session: Session): Promise<OwnershipComparison> {
  return session.share("ownership", async (own) => {
    const feed = await feedOf(session);
    const { transactions } = await observationsOf(session);
    const pairs = transactions
      .filter(({ isListed }) => !isListed)
      .flatMap(({ body, exchange: transaction }) =>
        (linkedMessages(body) ?? []).flatMap((id): Pair[] => {
          const message = feed.at(`/transaction-messages/${id}`);
          return message?.isJson ? [{ message: message.exchange, transaction }] : [];
        }),
      );
    const suspects = pairs.filter((pair) => misownedIn(pair).length > 0).slice(0, MAX_RECHECKS);
    const recheck = new Recheck(own);
    const confirmed = await Promise.all(
      suspects.map(async (pair) => {
        const [message, transaction] = await Promise.all([
          recheck.fetch(pair.message),
          recheck.fetch(pair.transaction),
        ]);
        return message && transaction ? misownedIn({ message, transaction }) : [];
      }),
    );
    return { compared: pairs.length, misowned: confirmed.flat() };
  });
}

/** Missing and null values are not compared. */
function misownedIn({ message, transaction }: Pair): OwnershipMismatch[] {
  return ["subaccountId", "cardId"].flatMap((name) => {
    const value = textOf(message.response?.json, name);
    const expected = textOf(transaction.response?.json, name);
    if (value === undefined || expected === undefined || value === expected) return [];
    return [{ name, message, transaction, actual: describeValue(value), expected }];
  });
}
