import type { components } from "../../../generated/types.ts";
import { AUTHORIZATION, SETTLEMENT } from "./vocabulary.ts";

type Transaction = components["schemas"]["Transaction"];
type Message = components["schemas"]["ProjectedTransactionMessage"];

const DEBIT = "DEBIT_";

/**
 * Whether the settled amounts must be the sum of the settlements: all types and results are known,
 * there is a settlement, both lists of superseded messages agree (otherwise TXN-08 reports it), and
 * no amount is negative (the interface leaves the signs of refunds open).
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

/** The sum of the settlements in force; NaN if one of them is in another currency. */
export function settledBy(messages: readonly Message[], currency: string): number {
  let sum = 0;
  for (const message of messages) {
    if (message.superseded || message.messageType !== SETTLEMENT) continue;
    sum += message.transactionCurrency === currency ? message.transactionAmount : Number.NaN;
  }
  return sum;
}

/** The same for the cardholder's bill. */
export function billedBy(messages: readonly Message[], currency: string): number {
  let sum = 0;
  for (const message of messages) {
    if (message.superseded || message.messageType !== SETTLEMENT) continue;
    const isInCurrency = message.cardholderBillingCurrency === currency;
    sum += isInCurrency ? message.cardholderBillingAmount : Number.NaN;
  }
  return sum;
}

/** Rounds a sum to the decimals of its parts, because binary addition leaves more. */
export function rounded(sum: number, parts: readonly number[]): number {
  const decimals = parts.reduce((most, part) => Math.max(most, decimalsOf(part)), 0);
  return Number(sum.toFixed(Math.min(decimals, MAX_DECIMALS)));
}

/**
 * Whether a total differs from the sum of its parts by rounding only: how a bill in another
 * currency is rounded, each part or the total, is open.
 */
export function differsByRounding(total: number, sum: number, parts: readonly number[]): boolean {
  const decimals = [total, ...parts].reduce((most, part) => Math.max(most, decimalsOf(part)), 0);
  return !(Math.abs(total - sum) > ((parts.length + 1) / 2) * 10 ** -decimals);
}

/** The maximum that toFixed accepts. */
const MAX_DECIMALS = 100;

function decimalsOf(amount: number): number {
  const [digits = "", exponent = "0"] = String(amount).split("e");
  return (digits.split(".")[1]?.length ?? 0) - Number(exponent);
}

/** Whether two amounts differ by more than the error of binary addition. */
export function amountsDiffer(one: number, other: number): boolean {
  return Math.abs(one - other) > Math.max(0.0005, Math.abs(one) * 1e-9);
}
