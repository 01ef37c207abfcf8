import type { Cents, MessageNote } from "../store/resources.ts";
import { authorizedOf, sumOf, type Transaction } from "./transaction.ts";

// A part is told in one of a purchase's two currencies, and comes to its share of the other. It is
// rounded together with the parts before it, so that all of them make the sum that was authorized.

/** What a part is, of what the bank tells in the card's currency. */
export function convertBilledPart(
  transaction: Transaction,
  before: readonly MessageNote[],
  billing: number,
): Cents {
  const [authorized, sum] = [authorizedOf(transaction), sumOf(before)];
  const share = (sum.billing + billing) / authorized.billing;
  return { transaction: Math.round(authorized.transaction * share) - sum.transaction, billing };
}

/** What a part is, of what the network tells in the purchase's own currency. */
export function convertSpentPart(
  transaction: Transaction,
  before: readonly MessageNote[],
  spent: number,
): Cents {
  const [authorized, sum] = [authorizedOf(transaction), sumOf(before)];
  const share = (sum.transaction + spent) / authorized.transaction;
  return { transaction: spent, billing: Math.round(authorized.billing * share) - sum.billing };
}
