import type { BankCandidate, CardCandidate, Pairing } from "../../model/matching/candidates.ts";
import { candidatesOf, clearedCandidateOf } from "../../model/matching/card-candidates.ts";
import { pairingsOf } from "../../model/matching/pairings.ts";
import { activeSettlements } from "../../model/settlement.ts";
import { settles } from "../../model/transaction-match.ts";
import type { Resource } from "../resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { addMatch } from "./match.ts";
import { settleByBank } from "./settlement.ts";
import { setNetted } from "./standalone.ts";
import type { Transaction } from "./transaction.ts";

/** Purchases and postings that can affect each other: twice the largest distance within a match. */
const WINDOW_DAYS = 32;
const DAY_MS = 24 * 3600 * 1000;

/**
 * Matches the unmatched postings of an account with the purchases of its cards. Announces each
 * match. A match of high confidence settles its purchase; each match nets the bank-only transaction
 * of its posting (TXN-14).
 *
 * @param day YYYY-MM-DD; matches only around this day. Default: all days
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
  const pairings = (candidates: (purchase: Transaction) => CardCandidate[]): Pairing[] => {
    const postings = store.children("bank-transactions", account.id, window).map(bankCandidateOf);
    if (postings.length === 0) return [];
    const purchases = account.internal.cardIds.flatMap((cardId) =>
      store.children("transactions", cardId, window).flatMap(candidates),
    );
    return purchases.length === 0 ? [] : pairingsOf(purchases, postings);
  };
  for (const pairing of pairings(candidatesOf)) applyPairing(work, account, pairing);
  // MAT-08: then purchases that the bank split differently from the network, if the sums are equal.
  for (const pairing of pairings(clearedCandidateOf)) {
    const { purchase, postings } = pairing;
    const isSum = postings.reduce((sum, { cents }) => sum + cents, -purchase.cents) === 0;
    if (isSum && isSplitDifferently(work, pairing)) applyPairing(work, account, pairing);
  }
}

/** The first pass has compared a single posting with a single part already. */
function isSplitDifferently({ store }: UnitOfWork, { purchase, parts }: Pairing): boolean {
  const candidates = candidatesOf(store.find("transactions", purchase.transactionId));
  return parts.length > 1 || candidates.every(({ cents }) => cents !== purchase.cents);
}

function bankCandidateOf({ id, internal }: Resource<"bank-transactions">): BankCandidate {
  const { day, cents, currency, description, merchantName } = internal.posting;
  return { id, day, cents, currency, description, merchantName };
}

function applyPairing(
  work: UnitOfWork,
  account: Resource<"bank-accounts">,
  { purchase, parts }: Pairing,
): void {
  for (const { posting, cents, score } of parts) {
    const { confidence } = score;
    if (confidence === null) continue;
    const transaction = work.store.find("transactions", purchase.transactionId);
    const movement = work.store.find("bank-transactions", posting.id);
    const isPart = parts.length > 1 || isRemainder(transaction, purchase);
    // MAT-08: the interface does not say which id a part has. Here it is that of its message.
    const candidate = isPart ? { ...purchase, id: work.random.id("message"), cents } : purchase;
    addMatch(work, account, { transaction, candidate, movement, score: { ...score, confidence } });
    const { standaloneId } = movement.internal;
    if (standaloneId !== null) setNetted(work, standaloneId, true);
    // TXN-12
    if (!settles(confidence)) continue;
    const messageId = isPart ? { messageId: candidate.id } : {};
    settleByBank(work, transaction, { account, movement, legId: candidate.id, ...messageId });
  }
}

/** Whether a candidate is what other parts have left of a purchase. */
function isRemainder({ id, internal }: Transaction, candidate: CardCandidate): boolean {
  if (candidate.id !== id) return false;
  if (internal.taken.length > 0) return true;
  return candidate.canSplit && activeSettlements(internal).length > 0;
}

/** The day a number of days after another: `YYYY-MM-DD`. */
export function daysFrom(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
