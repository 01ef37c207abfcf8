import type { Networks } from "../../contract/index.ts";
import type { Store } from "../store/store.ts";

/** The outcome of a test card, by the last digit of its number. */
type CardOutcome = "approve" | "sca-pass" | "sca-fail" | "decline";

/** A card that the form offers. */
interface TestCard {
  /** 16 digits. No network issues numbers with this prefix. */
  readonly number: string;
  readonly network: string;
  readonly outcome: CardOutcome;
}

const OUTCOMES: Readonly<Record<string, CardOutcome>> = {
  1: "approve",
  2: "sca-pass",
  3: "sca-fail",
  4: "decline",
};

/** One card for each outcome that is not enrolled under the subaccount yet. */
export function testCards(store: Store, networks: Networks, subaccountId: string): TestCard[] {
  const cards = store.children("cards", subaccountId);
  const taken = new Set(cards.map(({ internal }) => internal.last4));
  return Object.entries(OUTCOMES).map(([digit, outcome]) => {
    let last4 = `000${digit}`;
    for (let n = 1; taken.has(last4) && n < 1000; n += 1) {
      last4 = `${String(n).padStart(3, "0")}${digit}`;
    }
    return { number: `999900000000${last4}`, network: networks.a, outcome };
  });
}

/** The outcome of a card, by its number or last digits; undefined if it is not a test card. */
export function outcomeOf(digits: string): CardOutcome | undefined {
  return OUTCOMES[digits.slice(-1)];
}
