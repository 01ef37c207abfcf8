import { conflict } from "../refusal.ts";
import type { Store } from "../store/store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

const ALL = 10_000;

/** The last four digits of a subaccount's cards and bank accounts. */
export function takenDigits(store: Store, subaccountId: string): Set<string> {
  const cards = store.children("cards", subaccountId).map(({ internal }) => internal.last4);
  const links = store.children("bank-links", subaccountId);
  const masks = links.flatMap(({ internal }) => internal.accounts.map(({ mask }) => mask));
  return new Set([...cards, ...masks]);
}

/**
 * Draws four digits that are not taken, and adds them to `taken`.
 *
 * @throws {Refusal} 409 if all are taken
 */
export function drawDigits(work: UnitOfWork, taken: Set<string>): string {
  if (taken.size === ALL) throw conflict("all last four digits are taken in the subaccount");
  let number = work.random.below(ALL);
  while (taken.has(digitsOf(number))) number = (number + 1) % ALL;
  const drawn = digitsOf(number);
  taken.add(drawn);
  return drawn;
}

const digitsOf = (number: number) => String(number).padStart(4, "0");
