import type { Verb } from "../driver.ts";
import type { Step } from "./step.ts";

const CARD_WITH_BANK: readonly Step[] = [
  { verb: "enroll", as: "card 1" },
  { verb: "clearSca", card: "card 1" },
  {
    verb: "startLink",
    as: "link 1",
    accounts: [
      { as: "account 1", type: "credit", card: "card 1" },
      { as: "account 2", type: "credit" },
    ],
  },
  { verb: "completeLink", link: "link 1", by: "notification" },
];

const PRICE = { amount: 31.2, merchant: "KIOSK MORGENROT" };

const SETTLED_PURCHASE: readonly Step[] = [
  ...CARD_WITH_BANK,
  { verb: "authorize", as: "purchase 1", card: "card 1", ...PRICE },
  {
    ...{ verb: "postAtBank", as: "posting 1", account: "account 1", ...PRICE },
    purchase: "purchase 1",
  },
];

/** Steps that create what many scripts need, the shortest first. A script begins with some. */
export const OPENINGS: readonly (readonly Step[])[] = [[], CARD_WITH_BANK, SETTLED_PURCHASE];

/** The openings of the exhaustive mode, whose scripts make their own purchases. */
export const EXHAUSTIVE_OPENINGS = OPENINGS.slice(0, 2);

/** Those openings that a driver with these verbs can play. */
export function playable(
  openings: readonly (readonly Step[])[],
  verbs: readonly Verb[],
): readonly (readonly Step[])[] {
  return openings.filter((steps) => steps.every(({ verb }) => verbs.includes(verb)));
}
