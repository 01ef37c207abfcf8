import { maxPageSize } from "../../generated/resources.ts";
import type { Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf, MAX_RECHECKS } from "./crawl.ts";
import { bankTransactionsIn, itemsOf, textOf } from "./feed.ts";
import type { ReadOperation } from "./operations.ts";
import { walk } from "./pages.ts";
import { BANK_TRANSACTION, MATCH } from "./subaccounts.ts";

/** A listed match whose bank transaction is not listed. */
interface Unreconciled {
  readonly id: string;
  /** The page with the match, and a JSON pointer to the id's list. */
  readonly page: Exchange;
  readonly at: string;
  /** The last page of the bank transactions list. */
  readonly list: Exchange;
}

interface Reconciliation {
  /** The number of bank transaction ids in listed matches; 0 if a list was not read to its end. */
  readonly compared: number;
  readonly unreconciled: readonly Unreconciled[];
}

/**
 * Compares the lists of matches and bank transactions, by which clients reconcile removals: the
 * match of a removed bank transaction is retracted, so every bank transaction of a listed match is
 * listed (BTX-05, BTX-07, MAT-11). Mismatches are confirmed with a second walk, because a removal
 * may fall between the walks.
 */
export function reconcile(session: Session): Promise<Reconciliation> {
  return session.share("reconciliation", async (own) => {
    const { walks } = await feedOf(session);
    const first = compare(walks);
    if (first.unreconciled.length === 0) return first;
    // A bank transaction removed after this walk was not a suspect before, so it is not reported.
    const matches = await walk(own, "GET /transaction-matches", { limit: maxPageSize });
    const bankTransactions = await walk(own, "GET /bank-transactions", { limit: maxPageSize });
    const again = [matches, bankTransactions].map((one) => [one.operation, one] as const);
    const suspects = new Set(first.unreconciled.map(({ id }) => id));
    const { compared, unreconciled } = compare(new Map(again));
    return { compared, unreconciled: unreconciled.filter(({ id }) => suspects.has(id)) };
  });
}

type Walks = Parameters<typeof itemsOf>[0]["walks"];

function compare(walks: Walks): Reconciliation {
  const isWhole = [...LISTS].every((list) => walks.get(list)?.end.kind === "last");
  const list = walks.get("GET /bank-transactions")?.pages.at(-1)?.exchange;
  if (!isWhole || !list) return { compared: 0, unreconciled: [] };
  const items = (operation: ReadOperation) => itemsOf({ walks }, operation);
  const listed = new Set(items(BANK_TRANSACTION).map(({ body }) => textOf(body, "id")));
  const named = items(MATCH).flatMap(({ body, at, exchange: page }) =>
    bankTransactionsIn(body).map((id) => ({ id, page, at: `${at}/matches`, list })),
  );
  const unreconciled = named.filter(({ id }) => !listed.has(id)).slice(0, MAX_RECHECKS);
  return { compared: named.length, unreconciled };
}

const LISTS = ["GET /transaction-matches", "GET /bank-transactions"] as const;
