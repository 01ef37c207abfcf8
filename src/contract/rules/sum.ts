import type { components } from "../../../generated/types.ts";

type Transaction = components["schemas"]["Transaction"];
type Message = components["schemas"]["ProjectedTransactionMessage"];

/**
 * Whether the settled amounts are plainly the sum of the settlements: types and results are known,
 * something settled, and no sign is in play (the signs of refunds are open).
 */
export function isPlain(transaction: Transaction, messages: readonly Message[]): boolean {
  if (!transaction.transactionType.startsWith("DEBIT_")) return false;
  if (transaction.transactionSettledAmount < 0) return false;
  if (transaction.cardholderBillingSettledAmount < 0) return false;
  let hasSettlement = false;
  for (const message of messages) {
    const { messageType, result, transactionAmount, cardholderBillingAmount } = message;
    if (result !== "APPROVED" || transactionAmount < 0 || cardholderBillingAmount < 0) return false;
    if (messageType === SETTLEMENT) hasSettlement = true;
    else if (messageType !== "AUTH_REQU") return false;
  }
  return hasSettlement;
}

/** The sum over the settlements in force; undefined where one has no amount to add. */
export function sumOf(
  messages: readonly Message[],
  amountOf: (message: Message) => number | undefined,
): number | undefined {
  let sum = 0;
  for (const message of messages) {
    if (message.superseded || message.messageType !== SETTLEMENT) continue;
    const amount = amountOf(message);
    if (amount === undefined) return undefined;
    sum += amount;
  }
  return sum;
}

/** Whether two amounts differ by more than what adding decimals in binary leaves. */
export function amountsDiffer(one: number, other: number): boolean {
  return Math.abs(one - other) > Math.max(0.0005, Math.abs(one) * 1e-9);
}

const SETTLEMENT = "FINL_ADVC";
