import type { EventPayloads } from "../../../generated/events.ts";
import type { Ledger } from "../ledger.ts";
import { transition } from "../machine.ts";
import { conflict } from "../refusal.ts";
import type { Resource } from "../store/resources.ts";
import type { BankTransactionParams, VerbResults } from "../verbs/params.ts";
import { BANK_TRANSACTION_MOVES } from "./bank-moves.ts";
import { retractMatch } from "./match.ts";
import { matchAccount } from "./matching-pass.ts";
import { latestMovement, twinsOf } from "./pick.ts";
import { syncPosting } from "./posting.ts";
import { net } from "./standalone.ts";

/** The provider takes a bank transaction back. */
export function providerRemove(
  ledger: Ledger,
  params: BankTransactionParams,
): VerbResults["provider-remove"] {
  const movement = latestMovement(ledger.store, params);
  remove(ledger, movement, "provider_removed");
  return { bankTransactionId: movement.id };
}

/**
 * Retires a bank transaction that is in the feed twice. Without an id it is the later one of a
 * pair; where the latest posting has no twin, it is synced once more, and that twin retired.
 */
export function retireDuplicate(
  ledger: Ledger,
  params: BankTransactionParams,
): VerbResults["retire-duplicate"] {
  const movement = latestMovement(ledger.store, params);
  const twins = twinsOf(ledger.store, movement);
  const { hidden: account } = ledger.store.find("bank-accounts", movement.parent);
  const canSync = params.bankTransactionId === undefined && account.state === "active";
  if (twins.length === 0 && !canSync) {
    throw conflict(`retire-duplicate: bank transaction ${movement.id} has no twin`);
  }
  const retired =
    twins.length > 0 ? movement : syncPosting(ledger, movement.parent, movement.hidden.posting);
  remove(ledger, retired, "duplicate_retired");
  return { bankTransactionId: retired.id };
}

/**
 * BTX-04, BTX-05: announces the deletion, and takes its match back. What it settled stays settled
 * until something else settles it; what it was alone counts no more. Its twin, if it stands alone,
 * may take its place.
 */
function remove(
  ledger: Ledger,
  movement: Resource<"bank-transactions">,
  reason: EventPayloads["banktransaction.deleted"]["reason"],
): void {
  const { store } = ledger;
  const { id, accountId, parent: bankAccountId, hidden } = movement;
  const state = hidden.deleted ? "deleted" : "synced";
  const { sends } = transition(BANK_TRANSACTION_MOVES, reason, state, `bank transaction ${id}`);
  movement.listed = false;
  movement.open = false;
  hidden.deleted = true;
  store.update(movement);
  // BTX-06
  const metadata = { resourceId: id };
  const body = { id, bankAccountId, deletedAt: ledger.now(), reason, metadata };
  for (const name of sends) ledger.announce(name, { accountId, resource: id }, body);
  if (hidden.standaloneId !== null) net(ledger, hidden.standaloneId, true);
  if (hidden.matchId === null) return;
  retractMatch(ledger, hidden.matchId, "bank_transaction_retired");
  const account = store.find("bank-accounts", bankAccountId);
  matchAccount(ledger, account, movement.day);
}
