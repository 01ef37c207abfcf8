import type { Ledger } from "../ledger.ts";
import type { Resource } from "../store/resources.ts";
import { centsFor, inheritedBy, ownerOf, writeMessage } from "./message.ts";
import { bankDataOf } from "./standalone.ts";
import { settlementsInForce, type Transaction, updateTransaction } from "./transaction.ts";

/** What settles a purchase, or a leg of it. */
export interface Settling {
  readonly account: Resource<"bank-accounts">;
  readonly movement: Resource<"bank-transactions">;
  readonly legId: string;
  /** The message's id, where the leg is named by it. */
  readonly messageId?: string;
}

/**
 * TXN-12: a posting that was matched with high confidence settles the purchase, by a bank-sourced
 * message that inherits from the authorization. Where the network has cleared that leg already, the
 * bank's message is the duplicate, and superseded from the start; where another posting had settled
 * it, that one's message is.
 */
export function settleByBank(ledger: Ledger, transaction: Transaction, settling: Settling): void {
  const { account, movement, legId, messageId } = settling;
  const { hidden } = transaction;
  const inForce = settlementsInForce(hidden);
  if (inForce.some(({ bankTransactionId }) => bankTransactionId === movement.id)) return;
  const ofLeg = inForce.filter((note) => note.legId === legId);
  const isCleared = hidden.cleared || ofLeg.some((note) => note.bankTransactionId === null);
  for (const note of ofLeg) if (note.bankTransactionId !== null) note.superseded = true;
  const { posting } = movement.hidden;
  const authorized = hidden.authorized ?? { transaction: 0, billing: 0 };
  const message = writeMessage(ledger, ownerOf(transaction), {
    ...(messageId === undefined ? {} : { id: messageId }),
    messageType: "FINL_ADVC",
    result: "APPROVED",
    cents: centsFor(authorized, posting.cents),
    ...inheritedBy(ledger, transaction),
    bankData: bankDataOf(account, movement),
    dateTime: `${posting.day}T00:00:00`,
    day: posting.day,
    legId,
    superseded: isCleared,
  });
  updateTransaction(ledger, transaction, { trigger: "bank-settlement", message });
}

/** A posting that was found not to belong to a purchase settles it no more. */
export function unsettle(
  ledger: Ledger,
  transaction: Transaction,
  bankTransactionId: string,
): void {
  const notes = settlementsInForce(transaction.hidden).filter(
    (note) => note.bankTransactionId === bankTransactionId,
  );
  if (notes.length === 0) return;
  for (const note of notes) note.superseded = true;
  updateTransaction(ledger, transaction, { trigger: "revision" });
}
