import type { BankCandidate, CardCandidate, Pairing } from "../../model/matching/candidates.ts";
import { pairingsOf } from "../../model/matching/pairings.ts";
import type { Resource } from "../store/resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { candidatesOf, clearedCandidateOf } from "./card-candidates.ts";
import { daysFrom } from "./days.ts";
import { addMatch } from "./match.ts";
import { settleByBank } from "./settlement.ts";
import { setNetted } from "./standalone.ts";
import { activeSettlements, type Transaction } from "./transaction.ts";

/** How far around a day purchases and postings compete: twice what lies between a pair of them. */
const WINDOW_DAYS = 32;

/**
 * Matches what is free of an account's postings and of its cards' purchases. Each match is
 * announced; one of high confidence settles its purchase, and any nets its standalone (TXN-14).
 *
 * @param day around which is looked; everywhere unless set
 */
export function matchAccount(
  work: UnitOfWork,
  account: Resource<"bank-accounts">,
  day?: string,
): void {
  const { store } = work;
  const window = {
    onlyOpen: true,
    ...(day ? { from: daysFrom(day, -WINDOW_DAYS), to: daysFrom(day, WINDOW_DAYS) } : {}),
  };
  const pairings = (sides: (purchase: Transaction) => CardCandidate[]): Pairing[] => {
    const postings = store.children("bank-transactions", account.id, window).map(bankCandidateOf);
    if (postings.length === 0) return [];
    const purchases = account.internal.cardIds.flatMap((cardId) =>
      store.children("transactions", cardId, window).flatMap(sides),
    );
    return purchases.length === 0 ? [] : pairingsOf(purchases, postings);
  };
  for (const pairing of pairings(candidatesOf)) applyPairing(work, account, pairing);
  // MAT-08: then what was posted in other parts than it was cleared in, by the very sum.
  for (const pairing of pairings(clearedCandidateOf)) {
    const { purchase, postings } = pairing;
    const isSum = postings.reduce((sum, { cents }) => sum + cents, -purchase.cents) === 0;
    if (isSum && isSplitDifferently(work, pairing)) applyPairing(work, account, pairing);
  }
}

/** A single posting of a single part was weighed with all others already. */
function isSplitDifferently({ store }: UnitOfWork, { purchase, parts }: Pairing): boolean {
  const sides = candidatesOf(store.find("transactions", purchase.transactionId));
  return parts.length > 1 || sides.every(({ cents }) => cents !== purchase.cents);
}

function bankCandidateOf({ id, internal }: Resource<"bank-transactions">): BankCandidate {
  const { day, cents, currency, description, merchantName } = internal.posting;
  return { id, day, cents, currency, description, merchantName };
}

function applyPairing(
  work: UnitOfWork,
  account: Resource<"bank-accounts">,
  pairing: Pairing,
): void {
  const { purchase, parts } = pairing;
  for (const { posting, cents, score } of parts) {
    const { confidence } = score;
    if (confidence === null) continue;
    const transaction = work.store.find("transactions", purchase.transactionId);
    const movement = work.store.find("bank-transactions", posting.id);
    const isPart = parts.length > 1 || isRemainder(transaction, purchase);
    // MAT-08: which id a leg has is open; a part that the bank settles has that of its message.
    const side: CardCandidate = isPart ? { ...purchase, id: work.random.id(), cents } : purchase;
    addMatch(work, account, {
      transaction,
      candidate: side,
      movement,
      score: { ...score, confidence },
    });
    const { standaloneId } = movement.internal;
    if (standaloneId !== null) setNetted(work, standaloneId, true);
    // TXN-12
    if (confidence !== "HIGH") continue;
    const messageId = isPart ? { messageId: side.id } : {};
    settleByBank(work, transaction, { account, movement, legId: side.id, ...messageId });
  }
}

/** Whether a side is what other parts have left of a purchase. */
function isRemainder({ id, internal }: Transaction, side: CardCandidate): boolean {
  if (side.id !== id) return false;
  return internal.taken.length > 0 || (side.canSplit && activeSettlements(internal).length > 0);
}
