import { bankOnlyState } from "../../model/settlement.ts";
import { OPEN_BANKING } from "../../model/transaction.ts";
import type { Resource } from "../resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { bankDataOf, writeMessage } from "./message.ts";
import { createTransaction, updateTransaction } from "./transaction.ts";

/**
 * TXN-15: creates a settled transaction for a movement without a card transaction, with a synthetic
 * message (TXN-16). If the movement has one that was netted, its amounts are restored.
 */
export function createStandalone(
  work: UnitOfWork,
  account: Resource<"bank-accounts">,
  movement: Resource<"bank-transactions">,
): void {
  const { standaloneId, posting } = movement.internal;
  if (standaloneId !== null) {
    setNetted(work, standaloneId, false);
    return;
  }
  const { accountId, subaccountId } = movement;
  const { day, currency } = posting;
  const id = work.random.id("transaction");
  const fixed = {
    // TXN-17: the card that was linked first; null if the account has no cards.
    cardId: account.internal.cardIds[0] ?? null,
    network: OPEN_BANKING,
    descriptor: posting.merchantName ?? posting.description,
    // The bank does not send a place.
    acceptor: { city: "", country: "", mcc: "", state: "" },
    transactionCurrency: currency,
    cardholderBillingCurrency: currency,
    // The interface shows no types besides DEBIT_nn.
    transactionType: posting.transactionType === "debit" ? "DEBIT_01" : "CREDIT_01",
  };
  const message = writeMessage(
    work,
    id,
    { ...fixed, accountId, subaccountId },
    {
      messageType: "FINL_ADVC",
      result: "APPROVED",
      cents: { transaction: posting.cents, billing: posting.cents },
      // TXN-16
      ...{ approvalCode: null, traceId: null },
      transactionReference: `bank_${work.random.hex(16)}`,
      bankData: bankDataOf(account.internal.provider, movement.id, posting.category),
      dateTime: `${day}T00:00:00`,
      day,
    },
  );
  const internal = bankOnlyState(message.note);
  const parts = { id, accountId, subaccountId, parent: account.id, day, fixed, internal };
  createTransaction(work, parts, { trigger: "movement", message });
  movement.internal.standaloneId = id;
  work.store.update(movement);
}

/**
 * TXN-14: revises the settled amounts of a bank-only transaction to 0, because its movement belongs
 * to a card transaction or was deleted; or restores them.
 */
export function setNetted(work: UnitOfWork, standaloneId: string, isNetted: boolean): void {
  const standalone = work.store.find("transactions", standaloneId);
  if (standalone.internal.netted === isNetted) return;
  standalone.internal.netted = isNetted;
  updateTransaction(work, standalone, { trigger: isNetted ? "netting" : "revision" });
}
