import type { EventPayloads } from "../../generated/events.ts";
import { amountOf } from "./money.ts";
import { pick } from "./pick.ts";
import { transitions } from "./state-machine.ts";

type Created = EventPayloads["banktransaction.created"];
type Deleted = EventPayloads["banktransaction.deleted"];

/** The states of a bank transaction. */
export const BANK_TRANSACTION_TRANSITIONS = transitions([
  ["sync", ["new"], "synced", ["banktransaction.created"], "BTX-01"],
  ["provider_removed", ["synced"], "deleted", ["banktransaction.deleted"], "BTX-04"],
  ["duplicate_retired", ["synced"], "deleted", ["banktransaction.deleted"], "BTX-04"],
]);

/** A movement at the bank. */
export interface Posting {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly cents: number;
  readonly currency: string;
  readonly description: string;
  readonly merchantName: string | null;
  /** Primary and detailed personal-finance category; empty if the provider has none. */
  readonly category: readonly string[];
  readonly pending: boolean;
  readonly transactionType: "debit" | "credit";
}

/** The fields that a bank transaction and its event have in common. */
export function bankTransactionFields(
  id: string,
  account: { readonly id: string; readonly name: string },
  posting: Omit<Posting, "category">,
): Omit<Created, "category"> {
  return {
    id,
    bankAccountId: account.id,
    bankAccountName: account.name,
    date: posting.day,
    amount: amountOf(posting.cents, posting.currency),
    ...pick(posting, "currency", "description", "merchantName", "pending", "transactionType"),
  };
}

/** BTX-04: the event of a deleted bank transaction. */
export function deletedBankTransaction(
  id: string,
  bankAccountId: string,
  { deletedAt, reason }: Pick<Deleted, "deletedAt" | "reason">,
): Deleted {
  // BTX-06
  const metadata = { resourceId: id };
  return { id, bankAccountId, deletedAt, reason, metadata };
}
