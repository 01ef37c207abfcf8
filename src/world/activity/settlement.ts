import * as model from "../../model/settlement.ts";
import type { Resource } from "../resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { bankDataOf, writeFollowUp } from "./message.ts";
import { saveMatchedParts, type Transaction, updateTransaction } from "./transaction.ts";

/** A bank posting that settles a purchase, or a part of it. */
interface BankSettlement {
  readonly account: Resource<"bank-accounts">;
  readonly movement: Resource<"bank-transactions">;
  readonly legId: string;
  /** The message's id, if the part is identified by it. */
  readonly messageId?: string;
}

/** TXN-12: settles a purchase by a posting that was matched with high confidence. */
export function settleByBank(
  work: UnitOfWork,
  transaction: Transaction,
  { account, movement, legId, messageId }: BankSettlement,
): void {
  const { id: bankTransactionId, internal } = movement;
  const { day, cents: billing, category } = internal.posting;
  const settlement = model.settleByBank(transaction.internal, {
    bankTransactionId,
    legId,
    billing,
  });
  if (!settlement) {
    saveMatchedParts(work, transaction);
    return;
  }
  const message = writeFollowUp(work, transaction, {
    ...settlement,
    ...(messageId === undefined ? {} : { id: messageId }),
    bankData: bankDataOf(account.internal.provider, bankTransactionId, category),
    dateTime: `${day}T00:00:00`,
    day,
  });
  updateTransaction(work, transaction, { trigger: "bank-settlement", message });
}

/** Reverts a posting's settlement, because the posting does not belong to the purchase. */
export function unsettle(
  work: UnitOfWork,
  transaction: Transaction,
  bankTransactionId: string,
): void {
  if (!model.unsettle(transaction.internal, bankTransactionId)) return;
  updateTransaction(work, transaction, { trigger: "revision" });
}
