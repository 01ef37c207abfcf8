import type { Networks } from "../../contract/index.ts";
import { type EnrolledCard, withSubscription } from "../linked-cards.ts";
import { badRequest, conflict } from "../refusal.ts";
import type { Store } from "../store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { isEnrolled } from "./subscriptions.ts";

/** The enrolled cards of a subaccount, oldest first, optionally by their last four digits. */
export function enrolledCards(store: Store, subaccountId: string, last4?: string): EnrolledCard[] {
  return store
    .children("cards", subaccountId, { mentions: last4 })
    .filter(({ internal }) => last4 === undefined || internal.last4 === last4)
    .map((card) => withSubscription(store, card))
    .filter(({ subscription }) => isEnrolled(subscription));
}

/** The given code of a card network, or the usual one. Throws a Refusal 400 for another code. */
export function cardNetwork(
  { settings }: UnitOfWork,
  usual: keyof Networks,
  code?: string,
): string {
  const { a, b, c } = settings.networks;
  if (code === undefined) return settings.networks[usual];
  if ([a, b, c].includes(code)) return code;
  throw badRequest(`network takes ${a}, ${b} or ${c}, not "${code}"`);
}

const ALL = 10_000;

/**
 * The last four digits that scripts give to cards and accounts. They are never drawn, so that a
 * script applies whatever was drawn before.
 */
const GIVEN: ReadonlySet<string> = new Set([
  "5205",
  "7731",
  "3155",
  "0042",
  "9424",
  "2210",
  "1119",
]);

/** The last four digits of a subaccount's cards and bank accounts. */
export function takenDigits(store: Store, subaccountId: string): Set<string> {
  const cards = store.children("cards", subaccountId).map(({ internal }) => internal.last4);
  const accounts = store
    .children("bank-links", subaccountId)
    .flatMap(({ internal }) => internal.accounts.map(({ mask }) => mask));
  return new Set([...cards, ...accounts]);
}

/**
 * Draws four digits that are not taken, and adds them to `taken`.
 *
 * @throws {Refusal} 409 if all are taken
 */
export function drawDigits(work: UnitOfWork, taken: Set<string>): string {
  const closed = new Set([...GIVEN, ...taken]);
  if (closed.size === ALL) throw conflict("all last four digits are taken in the subaccount");
  let number = work.random.below(ALL);
  while (closed.has(digitsOf(number))) number = (number + 1) % ALL;
  const drawn = digitsOf(number);
  taken.add(drawn);
  return drawn;
}

const digitsOf = (number: number) => String(number).padStart(4, "0");
