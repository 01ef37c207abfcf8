import type { CardCandidate } from "../../model/matching/candidates.ts";
import type { MessageNote } from "../store/resources.ts";
import { activeSettlements, OPEN_BANKING, sumOf, type Transaction } from "./transaction.ts";

type Purchase = Pick<Transaction, "id" | "day" | "body" | "internal">;

/** A rest that is less than this part of what was authorized is no part of its own: 1/20. */
const SMALLEST_SHARE = 20;

/** What of a purchase no bank transaction accounts for yet. */
interface Unmatched {
  /** In minor units of the billing currency. */
  readonly cents: number;
  /** The parts that were settled, and that no match has taken. */
  readonly settled: readonly MessageNote[];
  /** What is neither settled nor taken; 0 where the whole is settled. */
  readonly rest: number;
}

/** Whether a match may still take something of a purchase. */
export function hasUnmatchedPart(purchase: Purchase): boolean {
  return unmatchedOf(purchase) !== undefined;
}

/** The parts of a purchase that a match may still take: what was settled, and what was not yet. */
export function candidatesOf(purchase: Purchase): CardCandidate[] {
  const unexplained = unmatchedOf(purchase);
  if (!unexplained) return [];
  const { id, day } = purchase;
  const common = commonOf(purchase);
  const sides: CardCandidate[] = unexplained.settled.map((note) => {
    const isWhole = note.legId === id;
    // A part has a day of its own; a posting that lost its match is looked for from the purchase.
    const from = isWhole || note.bankTransactionId ? day : note.day;
    const cents = isWhole ? unexplained.cents : note.cents.billing;
    return { ...common, id: note.legId, day: from, cents, canSplit: false };
  });
  const { rest } = unexplained;
  return rest > 0 ? [...sides, { ...common, id, day, cents: rest, canSplit: true }] : sides;
}

/**
 * What the network has cleared and no bank transaction accounts for, in one: the bank may have
 * posted it in other parts than the network cleared it in.
 */
export function clearedCandidateOf(purchase: Purchase): CardCandidate[] {
  const unexplained = purchase.internal.cleared && unmatchedOf(purchase);
  if (!unexplained) return [];
  const { id, day } = purchase;
  // No tip is to come: without its category a purchase has no allowance for one.
  return [{ ...commonOf(purchase), mcc: "", id, day, cents: unexplained.cents, canSplit: true }];
}

/** undefined where a match may take nothing of it, or next to nothing. */
function unmatchedOf({ id, body, internal }: Purchase): Unmatched | undefined {
  const { authorized, declined, cleared, taken } = internal;
  if (!authorized || declined || body.network === OPEN_BANKING) return undefined;
  const takenIds = new Set(taken.map(({ legId }) => legId));
  if (takenIds.has(id)) return undefined;
  const isNegligible = (cents: number) => cents * SMALLEST_SHARE < authorized.billing;
  const inForce = activeSettlements(internal);
  const settledIds = new Set(inForce.map(({ legId }) => legId));
  const isWhole = cleared || settledIds.has(id);
  // Parts that a match took, of which no message in force tells any more, or none yet.
  const untold = taken
    .filter(({ legId }) => !settledIds.has(legId))
    .reduce((total, { billingCents }) => total + billingCents, 0);
  const free = inForce.filter(({ legId }) => !takenIds.has(legId));
  const unsettled = isWhole ? 0 : Math.max(0, authorized.billing - sumOf(inForce).billing);
  const cents = sumOf(free).billing + unsettled - untold;
  if (isNegligible(cents)) return undefined;
  const settled = free.filter(({ legId, cents: { billing } }) => {
    return !isNegligible(billing) && (legId === id || billing <= cents);
  });
  const rest = unsettled - untold;
  return { cents, settled, rest: isNegligible(rest) ? 0 : rest };
}

function commonOf({ id, body }: Purchase) {
  const { cardholderBillingCurrency: currency, descriptor, acceptor } = body;
  return { transactionId: id, currency, descriptor, mcc: acceptor.mcc, city: acceptor.city };
}
