import type { Resource } from "../store/resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { convertBilledPart } from "./exchange.ts";
import { inheritedFrom, ownerOf, writeMessage } from "./message.ts";
import { bankDataOf } from "./standalone.ts";
import {
  activeSettlements,
  saveMatchedParts,
  type Transaction,
  updateTransaction,
} from "./transaction.ts";

/** What settles a purchase, or a leg of it. */
export interface BankSettlement {
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
 * it, that one's message is. A posting that has told of it before has no more to tell.
 */
export function settleByBank(
  work: UnitOfWork,
  transaction: Transaction,
  settling: BankSettlement,
): void {
  const { account, movement, legId, messageId } = settling;
  const { internal } = transaction;
  const inForce = activeSettlements(internal);
  const own = internal.messages.filter((note) => note.bankTransactionId === movement.id);
  const told = own.find(({ superseded }) => !superseded);
  if (told) {
    swapLegs(work, transaction, told.legId, legId);
    return;
  }
  const ofLeg = inForce.filter((note) => note.legId === legId);
  const isCleared = internal.cleared || ofLeg.some((note) => note.bankTransactionId === null);
  if (isCleared && own.length > 0) return;
  for (const note of ofLeg) if (note.bankTransactionId !== null) note.superseded = true;
  const { posting } = movement.internal;
  const others = inForce.filter((note) => !ofLeg.includes(note));
  const message = writeMessage(work, ownerOf(transaction), {
    ...(messageId === undefined ? {} : { id: messageId }),
    messageType: "FINL_ADVC",
    result: "APPROVED",
    cents: convertBilledPart(transaction, others, posting.cents),
    ...inheritedFrom(work, transaction),
    bankData: bankDataOf(account, movement),
    dateTime: `${posting.day}T00:00:00`,
    day: posting.day,
    legId,
    superseded: isCleared,
  });
  updateTransaction(work, transaction, { trigger: "bank-settlement", message });
}

/** Of equal parts a posting may be given another one than it had. */
function swapLegs(work: UnitOfWork, transaction: Transaction, one: string, other: string): void {
  if (one === other) return;
  const { internal } = transaction;
  const legs = new Map([
    [one, other],
    [other, one],
  ]);
  internal.messages = internal.messages.map((note) => {
    return note.superseded ? note : { ...note, legId: legs.get(note.legId) ?? note.legId };
  });
  saveMatchedParts(work, transaction);
}

/** A posting that was found not to belong to a purchase settles it no more. */
export function unsettle(
  work: UnitOfWork,
  transaction: Transaction,
  bankTransactionId: string,
): void {
  const notes = activeSettlements(transaction.internal).filter(
    (note) => note.bankTransactionId === bankTransactionId,
  );
  if (notes.length === 0) return;
  for (const note of notes) note.superseded = true;
  updateTransaction(work, transaction, { trigger: "revision" });
}
