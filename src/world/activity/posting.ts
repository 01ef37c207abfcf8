import { BANK_TRANSACTION_TRANSITIONS, type Posting } from "../../model/bank-transaction.ts";
import { linkWithin } from "../../model/links.ts";
import { amountOf } from "../../model/money.ts";
import { pick } from "../../model/pick.ts";
import type { Resource } from "../resources.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { matchAccount } from "./matching-pass.ts";
import { createStandalone } from "./standalone.ts";

/**
 * Syncs a posting: announces it, and then matches it with a purchase or creates a bank-only
 * transaction (TXN-15). A pending posting is only announced. A credit never matches.
 */
export function syncPosting(
  work: UnitOfWork,
  bankAccountId: string,
  posting: Posting,
): Resource<"bank-transactions"> {
  const account = work.store.find("bank-accounts", bankAccountId);
  const { accountId, subaccountId } = account;
  const id = work.random.id("bank transaction");
  const { sends } = requireTransition(BANK_TRANSACTION_TRANSITIONS, "sync", "new");
  const [primary] = posting.category;
  const shared = {
    ...{ id, bankAccountId, bankAccountName: account.internal.name, date: posting.day },
    amount: amountOf(posting.cents, posting.currency),
    ...pick(posting, "currency", "description", "merchantName", "pending", "transactionType"),
  };
  work.insert({
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
    internal: { posting, matchId: null, standaloneId: null, deleted: false },
  });
  const event = { ...shared, category: primary ?? null };
  for (const name of sends) work.announce(name, { accountId, resource: id }, event);
  if (posting.pending) return work.store.find("bank-transactions", id);
  matchAccount(work, account, posting.day);
  const synced = work.store.find("bank-transactions", id);
  if (synced.internal.matchId === null) createStandalone(work, account, synced);
  return synced;
}
