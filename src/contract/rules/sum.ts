import type { components } from "../../../generated/types.ts";
import { AUTHORIZATION, SETTLEMENT } from "./vocabulary.ts";

type Transaction = components["schemas"]["Transaction"];
type Message = components["schemas"]["ProjectedTransactionMessage"];

const DEBIT = "DEBIT_";

/**
 * Whether the settled amounts are plainly the sum of the settlements: types and results are known,
 * something settled, what is superseded is told in one way (otherwise TXN-08 tells), and no sign is
 * in play (the signs of refunds are open).
 */
export function isPlain(transaction: Transaction, messages: readonly Message[]): boolean {
  if (transaction.transactionType.slice(0, DEBIT.length) !== DEBIT) return false;
  if (transaction.transactionSettledAmount < 0) return false;
  if (transaction.cardholderBillingSettledAmount < 0) return false;
  let hasSettlement = false;
  let superseded = 0;
  for (const message of messages) {
    const { messageType, result, transactionAmount, cardholderBillingAmount } = message;
    if (message.superseded) superseded += 1;
    if (result !== "APPROVED" || transactionAmount < 0 || cardholderBillingAmount < 0) return false;
    if (messageType === SETTLEMENT) hasSettlement = true;
    else if (messageType !== AUTHORIZATION) return false;
  }
  return hasSettlement && superseded === transaction.supersededMessageIds.length;
}

/** What the settlements in force sum up to; NaN where one of them is in another currency. */
export function settledBy(
  messages: readonly Message[],
  { transactionCurrency, cardholderBillingCurrency }: Transaction,
): { readonly settled: number; readonly billed: number } {
  let settled = 0;
  let billed = 0;
  for (const message of messages) {
    if (message.superseded || message.messageType !== SETTLEMENT) continue;
    const isInCurrency = message.transactionCurrency === transactionCurrency;
    const isBilledInCurrency = message.cardholderBillingCurrency === cardholderBillingCurrency;
    settled += isInCurrency ? message.transactionAmount : Number.NaN;
    billed += isBilledInCurrency ? message.cardholderBillingAmount : Number.NaN;
  }
  return { settled, billed };
}

/** A sum in the decimals of its parts: adding in binary leaves more. */
export function rounded(sum: number, parts: readonly number[]): number {
  const decimals = parts.reduce((most, part) => Math.max(most, decimalsOf(part)), 0);
  return Number(sum.toFixed(Math.min(decimals, MAX_DECIMALS)));
}

/** The most that toFixed takes. */
const MAX_DECIMALS = 100;

function decimalsOf(amount: number): number {
  const [digits = "", exponent = "0"] = String(amount).split("e");
  return (digits.split(".")[1]?.length ?? 0) - Number(exponent);
}

/** Whether two amounts differ by more than what adding decimals in binary leaves. */
export function amountsDiffer(one: number, other: number): boolean {
  return Math.abs(one - other) > Math.max(0.0005, Math.abs(one) * 1e-9);
}
