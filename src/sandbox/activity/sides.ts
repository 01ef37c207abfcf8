import type { CardSide } from "../matching/candidates.ts";
import type { MessageNote } from "../store/resources.ts";
import { OPEN_BANKING, settlementsInForce, type Transaction } from "./transaction.ts";

/** A rest that is less than this part of what was authorized is no part of its own: 1/20. */
const SMALLEST_PART = 20;

/**
 * What of a purchase a match may still take: each part that was settled and that no bank
 * transaction accounts for, and what is not settled yet.
 */
export function sidesOf(
  transaction: Pick<Transaction, "id" | "day" | "body" | "hidden">,
): CardSide[] {
  const { id, day, body, hidden } = transaction;
  const { authorized, declined, cleared } = hidden;
  if (!authorized || declined || body.network === OPEN_BANKING) return [];
  const takenIds = new Set(hidden.taken.map(({ legId }) => legId));
  if (takenIds.has(id)) return [];
  const isNegligible = (cents: number) => cents * SMALLEST_PART < authorized.billing;
  const common = {
    transactionId: id,
    currency: body.cardholderBillingCurrency,
    descriptor: body.descriptor,
    mcc: body.acceptor.mcc,
    city: body.acceptor.city,
  };
  const inForce = settlementsInForce(hidden);
  const settledIds = new Set(inForce.map(({ legId }) => legId));
  // Parts that a match took, of which no message in force tells any more, or none yet.
  const taken = hidden.taken
    .filter(({ legId }) => !settledIds.has(legId))
    .reduce((sum, { billingCents }) => sum + billingCents, 0);
  const settled = inForce
    .filter(({ legId }) => !takenIds.has(legId))
    .map(({ legId, cents, day: legDay, bankTransactionId }) => {
      const isWhole = legId === id;
      // A part has a day of its own; a posting that lost its match is looked for from the purchase.
      const from = isWhole || bankTransactionId ? day : legDay;
      const left = isWhole ? cents.billing - taken : cents.billing;
      return { ...common, id: legId, day: from, cents: left, canSplit: false };
    })
    .filter(({ cents }) => !isNegligible(cents));
  const rest = authorized.billing - taken - sumOf(inForce);
  if (cleared || settledIds.has(id) || isNegligible(rest)) return settled;
  return [...settled, { ...common, id, day, cents: rest, canSplit: true }];
}

function sumOf(notes: readonly MessageNote[]): number {
  return notes.reduce((sum, { cents }) => sum + cents.billing, 0);
}
