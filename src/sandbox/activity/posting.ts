import type { Ledger } from "../ledger.ts";
import { linkWithin } from "../links.ts";
import { transition } from "../machine.ts";
import { amountOf } from "../money.ts";
import type { Posting, Resource } from "../store/resources.ts";
import { BANK_TRANSACTION_MOVES } from "./bank-moves.ts";
import { matchAccount } from "./matching-pass.ts";
import { standAlone } from "./standalone.ts";

/**
 * Takes a movement at the bank into the feed: it is announced, and then either matched to a card's
 * purchase, or a transaction of its own (TXN-15). What is still pending is only announced, and a
 * credit is matched to no purchase.
 */
export function syncPosting(
  ledger: Ledger,
  bankAccountId: string,
  posting: Posting,
): Resource<"bank-transactions"> {
  const account = ledger.store.find("bank-accounts", bankAccountId);
  const { accountId, subaccountId } = account;
  const id = ledger.random.id();
  const { sends } = transition(BANK_TRANSACTION_MOVES, "sync", "new", "it");
  const [primary] = posting.category;
  const shared = {
    id,
    bankAccountId,
    bankAccountName: account.hidden.name,
    date: posting.day,
    amount: amountOf(posting.cents, posting.currency),
    currency: posting.currency,
    description: posting.description,
    merchantName: posting.merchantName,
    pending: posting.pending,
    transactionType: posting.transactionType,
  };
  ledger.insert({
    kind: "bank-transactions",
    id,
    accountId,
    subaccountId,
    parent: bankAccountId,
    day: posting.day,
    open: !posting.pending && posting.transactionType === "debit",
    // BTX-03: one category in the event, all of them in the resource.
    body: {
      ...shared,
      category: [...posting.category],
      _links: { self: linkWithin("bank-transactions", subaccountId, id) },
    },
    hidden: { posting, matchId: null, standaloneId: null, deleted: false },
  });
  const event = { ...shared, category: primary ?? null };
  for (const name of sends) ledger.announce(name, { accountId, resource: id }, event);
  if (posting.pending) return ledger.store.find("bank-transactions", id);
  matchAccount(ledger, account, posting.day);
  const synced = ledger.store.find("bank-transactions", id);
  if (synced.hidden.matchId === null) standAlone(ledger, account, synced);
  return synced;
}
