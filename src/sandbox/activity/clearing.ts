import { centsOf } from "../../model/money.ts";
import { badRequest, conflict } from "../refusal.ts";
import type { MessageNote } from "../store/resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { ClearParams, VerbResults } from "../verbs/params.ts";
import { purchaseToClear } from "./defaults.ts";
import { convertSpentPart } from "./exchange.ts";
import { inheritedFrom, localTime, ownerOf, type WrittenMessage, writeMessage } from "./message.ts";
import { cardDataArrivedFor } from "./rematch.ts";
import {
  activeSettlements,
  authorizedOf,
  sumOf,
  type Transaction,
  updateTransaction,
} from "./transaction.ts";

/** A part and a bank's message are of one leg where they differ by no more than this: 1/20. */
const SAME_LEG = 20;

/**
 * The network clears a purchase, or what is left of it. TXN-13: what the bank said before is
 * superseded, by the update that announces the clearing.
 */
export function clear(work: UnitOfWork, params: ClearParams): VerbResults["clear"] {
  const transaction = purchaseToClear(work.store, params);
  const cleared = sumOf(fromNetwork(transaction)).transaction;
  const left = authorizedOf(transaction).transaction - cleared;
  const cents = centsIn(transaction, params.amount, Math.max(1, left));
  // The rest of it is the leg that the bank has told of, if it has.
  const legId = cleared === 0 ? transaction.id : nearestMessage(cents, transaction)?.legId;
  transaction.internal.cleared = true;
  const message = clearingOf(work, transaction, cents, legId);
  return applyClearing(work, transaction, message, () => true);
}

/**
 * The network clears a part of a purchase, as a leg of its own (MAT-08). It supersedes the bank's
 * message for the same leg. If the bank posted no such leg, it supersedes the messages with which
 * the purchase would settle for more than was authorized.
 */
export function clearPart(work: UnitOfWork, params: ClearParams): VerbResults["clear-partial"] {
  const transaction = purchaseToClear(work.store, params);
  const { transaction: authorized } = authorizedOf(transaction);
  const left = authorized - sumOf(fromNetwork(transaction)).transaction;
  const cents = centsIn(transaction, params.amount, Math.max(1, Math.floor(left / 2)));
  if (cents >= left) {
    throw conflict("clear-partial takes less than is not cleared yet; clear takes the rest");
  }
  const nearest = nearestMessage(cents, transaction);
  const isSameLeg = nearest !== undefined && gap(nearest, cents) * SAME_LEG <= cents;
  const legId = isSameLeg ? nearest.legId : undefined;
  const excess = isSameLeg ? [] : excessMessages(left - cents, transaction);
  const message = clearingOf(work, transaction, cents, legId);
  return applyClearing(work, transaction, message, (note) => {
    return note.legId === legId || excess.includes(note);
  });
}

/** The bank's messages with which an amount is exceeded: as much of them as possible is kept. */
function excessMessages(amount: number, transaction: Transaction): MessageNote[] {
  const messages = fromBank(transaction);
  const keptBySum = new Map<number, readonly MessageNote[]>([[0, []]]);
  for (const note of messages) {
    for (const [sum, kept] of [...keptBySum]) {
      const total = sum + note.cents.transaction;
      if (total <= amount && !keptBySum.has(total)) keptBySum.set(total, [...kept, note]);
    }
  }
  const kept = keptBySum.get(Math.max(...keptBySum.keys())) ?? [];
  return messages.filter((note) => !kept.includes(note));
}

function clearingOf(
  work: UnitOfWork,
  transaction: Transaction,
  cents: number,
  legId: string | undefined,
): WrittenMessage {
  return writeMessage(work, ownerOf(transaction), {
    messageType: "FINL_ADVC",
    result: "APPROVED",
    cents: convertSpentPart(transaction, fromNetwork(transaction), cents),
    ...inheritedFrom(work, transaction),
    bankData: null,
    dateTime: localTime(work.now()),
    day: work.today(),
    ...(legId === undefined ? {} : { legId }),
  });
}

function applyClearing(
  work: UnitOfWork,
  transaction: Transaction,
  message: WrittenMessage,
  isDuplicate: (note: MessageNote) => boolean,
): VerbResults["clear"] {
  for (const note of fromBank(transaction)) if (isDuplicate(note)) note.superseded = true;
  updateTransaction(work, transaction, { trigger: "network-clearing", message });
  cardDataArrivedFor(work, transaction.body.cardId);
  return { transactionId: transaction.id, messageId: message.note.id };
}

function nearestMessage(cents: number, transaction: Transaction): MessageNote | undefined {
  return fromBank(transaction).sort((one, two) => gap(one, cents) - gap(two, cents))[0];
}

/** The provisional messages that postings made, largest first: in whatever order they came. */
function fromBank({ internal }: Transaction): MessageNote[] {
  return activeSettlements(internal)
    .filter(({ bankTransactionId }) => bankTransactionId !== null)
    .sort((one, two) => two.cents.transaction - one.cents.transaction);
}

/** The network's own messages. */
function fromNetwork({ internal }: Transaction): MessageNote[] {
  return activeSettlements(internal).filter(({ bankTransactionId }) => bankTransactionId === null);
}

function gap({ cents }: MessageNote, other: number): number {
  return Math.abs(cents.transaction - other);
}

function centsIn({ body }: Transaction, amount: number | undefined, unlessSet: number): number {
  if (amount === undefined) return unlessSet;
  const cents = centsOf(amount, body.transactionCurrency);
  if (cents > 0) return cents;
  throw badRequest("amount comes to less than the smallest unit of its currency");
}
