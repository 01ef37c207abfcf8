import { transitions } from "./state-machine.ts";

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
