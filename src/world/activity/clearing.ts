import type { ClearParams, VerbResults } from "../../../generated/control-types.ts";
import { centsOf } from "../../model/money.ts";
import { clearPart, clearRest, type Settlement, unclearedOf } from "../../model/settlement.ts";
import { localTime } from "../../model/transaction-message.ts";
import { badRequest, conflict } from "../refusal.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { purchaseToClear } from "./defaults.ts";
import { writeFollowUp } from "./message.ts";
import { cardDataArrivedFor } from "./rematch.ts";
import { type Transaction, updateTransaction } from "./transaction.ts";

/** TXN-13: the network clears a purchase, or what is left of it. */
export function clear(work: UnitOfWork, params: ClearParams): VerbResults["clear"] {
  const transaction = purchaseToClear(work.store, params);
  const { id, internal } = transaction;
  const cents = centsIn(transaction, params.amount, Math.max(1, unclearedOf(internal)));
  return applyClearing(work, transaction, clearRest(id, internal, cents));
}

/** MAT-08: the network clears a part of a purchase. */
export function clearPartially(
  work: UnitOfWork,
  params: ClearParams,
): VerbResults["clear-partial"] {
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
}

function applyClearing(
  work: UnitOfWork,
  transaction: Transaction,
  { cents, legId }: Settlement,
): VerbResults["clear"] {
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
