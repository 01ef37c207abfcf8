import type { components } from "../../../generated/types.ts";
import {
  activeSettlements,
  isWholeSettled,
  type MessageNote,
  sumOf,
  type TransactionState,
} from "../settlement.ts";
import { OPEN_BANKING } from "../transaction.ts";
import type { CardCandidate } from "./candidates.ts";

/** The fields of a card transaction that matching uses. */
interface Purchase {
  readonly id: string;
  /** YYYY-MM-DD */
  readonly day: string;
  readonly body: Pick<
    components["schemas"]["Transaction"],
    "network" | "descriptor" | "acceptor" | "cardholderBillingCurrency"
  >;
  readonly internal: TransactionState;
}

/** A remainder below 1/20 of the authorized amount is not matched. */
const SMALLEST_SHARE = 20;

/** The part of a purchase that has no match. */
interface Unmatched {
  /** In minor units of the billing currency. */
  readonly cents: number;
  /** The settled parts without a match. */
  readonly settled: readonly MessageNote[];
  /** The amount that is neither settled nor matched; 0 if all of it is settled. */
  readonly remainder: number;
}

/** Whether a part of a purchase has no match. */
export function hasUnmatchedPart(purchase: Purchase): boolean {
  return unmatchedOf(purchase) !== undefined;
}

/** The parts of a purchase that can be matched: the settled parts, and the remainder. */
export function candidatesOf(purchase: Purchase): CardCandidate[] {
  const unmatched = unmatchedOf(purchase);
  if (!unmatched) return [];
  const { id, day } = purchase;
  const common = commonOf(purchase);
  const candidates: CardCandidate[] = unmatched.settled.map((note) => {
    const isWhole = note.legId === id;
    // A cleared part has its own day. A posting that lost its match is dated by the purchase.
    const from = isWhole || note.bankTransactionId ? day : note.day;
    const cents = isWhole ? unmatched.cents : note.cents.billing;
    return { ...common, id: note.legId, day: from, cents, canSplit: false };
  });
  const { remainder } = unmatched;
  if (remainder <= 0) return candidates;
  return [...candidates, { ...common, id, day, cents: remainder, canSplit: true }];
}

/**
 * All that the network has cleared and that has no match, as one candidate: the bank may have split
 * the purchase differently.
 */
export function clearedCandidateOf(purchase: Purchase): CardCandidate[] {
  const unmatched = purchase.internal.cleared && unmatchedOf(purchase);
  if (!unmatched) return [];
  const { id, day } = purchase;
  // The amount is final. An empty category allows no tip.
  return [{ ...commonOf(purchase), mcc: "", id, day, cents: unmatched.cents, canSplit: true }];
}

/** Returns undefined if nothing, or next to nothing, can be matched. */
function unmatchedOf({ id, body, internal }: Purchase): Unmatched | undefined {
  const { authorized, declined, taken } = internal;
  if (!authorized || declined || body.network === OPEN_BANKING) return undefined;
  const takenIds = new Set(taken.map(({ legId }) => legId));
  if (takenIds.has(id)) return undefined;
  const isNegligible = (cents: number) => cents * SMALLEST_SHARE < authorized.billing;
  const active = activeSettlements(internal);
  const settledIds = new Set(active.map(({ legId }) => legId));
  // Matched parts that no active message settles.
  const unsettledTaken = taken
    .filter(({ legId }) => !settledIds.has(legId))
    .reduce((total, { billingCents }) => total + billingCents, 0);
  const free = active.filter(({ legId }) => !takenIds.has(legId));
  const isWhole = isWholeSettled(id, internal);
  const unsettled = isWhole ? 0 : Math.max(0, authorized.billing - sumOf(active).billing);
  const cents = sumOf(free).billing + unsettled - unsettledTaken;
  if (isNegligible(cents)) return undefined;
  const settled = free.filter(({ legId, cents: { billing } }) => {
    return !isNegligible(billing) && (legId === id || billing <= cents);
  });
  const remainder = unsettled - unsettledTaken;
  return { cents, settled, remainder: isNegligible(remainder) ? 0 : remainder };
}

function commonOf({ id, body }: Purchase) {
  const { cardholderBillingCurrency: currency, descriptor, acceptor } = body;
  return { transactionId: id, currency, descriptor, mcc: acceptor.mcc, city: acceptor.city };
}
