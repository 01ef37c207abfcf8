import type { Verb } from "../driver.ts";
import type { Step } from "./step.ts";

/** Steps that create what many scripts need. A script begins with one of them. */
export const OPENINGS: readonly (readonly Step[])[] = [
  [],
  [
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
  ],
];

/** The openings that a driver with these verbs can play. */
export function openingsFor(verbs: readonly Verb[]): readonly (readonly Step[])[] {
  return OPENINGS.filter((steps) => steps.every(({ verb }) => verbs.includes(verb)));
}
