import { centsOf } from "../../model/money.ts";
import { clearPart, clearRest, type Settlement, unclearedOf } from "../../model/settlement.ts";
import { Amount, Id, verbParams } from "../fields.ts";
import { badRequest, conflict } from "../refusal.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { purchaseToClear } from "./defaults.ts";
import { localTime, writeFollowUp } from "./message.ts";
import { cardDataArrivedFor } from "./rematch.ts";
import { type Transaction, TransactionResult, updateTransaction } from "./transaction.ts";

export const ClearParams = verbParams({
  transactionId: Id.describe("Default: the latest purchase that is not cleared.").optional(),
  amount: Amount.describe(
    "In the transaction's currency. Default: the uncleared amount, or half of it if partial.",
  ).optional(),
}).describe("A clearing of a purchase.");
export type ClearParams = Of<typeof ClearParams>;

/** The network clears a purchase, or what is left of it. */
export const clear = verb({
  name: "clear",
  summary: "Clears a purchase through the network",
  requirements: ["TXN-13", "MSG-03"],
  params: ClearParams,
  result: TransactionResult,
  example: { amount: 12.5 },
  run(work, params) {
    const transaction = purchaseToClear(work.store, params);
    const { id, internal } = transaction;
    const cents = centsIn(transaction, params.amount, Math.max(1, unclearedOf(internal)));
    return applyClearing(work, transaction, clearRest(id, internal, cents));
  },
});

/** The network clears a part of a purchase. */
export const clearPartially = verb({
  name: "clear-partial",
  summary: "Clears a part of a purchase through the network",
  requirements: ["MAT-08"],
  params: ClearParams,
  result: TransactionResult,
  example: { amount: 10 },
  run(work, params) {
    const transaction = purchaseToClear(work.store, params);
    const left = unclearedOf(transaction.internal);
    const cents = centsIn(transaction, params.amount, Math.max(1, Math.floor(left / 2)));
    if (cents >= left) {
      throw conflict("clear-partial: amount must be less than the uncleared amount", {
        text: "use clear for the rest",
        verb: "clear",
        params: { transactionId: transaction.id },
      });
    }
    return applyClearing(work, transaction, clearPart(transaction.internal, cents));
  },
});

function applyClearing(
  work: UnitOfWork,
  transaction: Transaction,
  { cents, legId }: Settlement,
): TransactionResult {
  const message = writeFollowUp(work, transaction, {
    cents,
    legId,
    bankData: null,
    dateTime: localTime(work.now()),
    day: work.today(),
  });
  updateTransaction(work, transaction, { trigger: "network-clearing", message });
  cardDataArrivedFor(work, transaction.body.cardId);
  return { transactionId: transaction.id, messageId: message.note.id };
}

function centsIn({ body }: Transaction, amount: number | undefined, fallback: number): number {
  if (amount === undefined) return fallback;
  const cents = centsOf(amount, body.transactionCurrency);
  if (cents > 0) return cents;
  throw badRequest("amount is less than the smallest unit of its currency");
}
