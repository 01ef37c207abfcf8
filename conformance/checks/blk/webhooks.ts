import type { EventPayloads } from "../../../generated/events.ts";
import { type Check, Skip } from "../../check.ts";
import { eachSeen, type Judgement, judged } from "../shared/seen.ts";

export const bankLinkDeliveryChecks: readonly Check[] = [
  // BLK-01: banklink.completed has bankLinkId and bankAccounts[] with id, name, mask (last 4
  // digits), type, cardIds.
  eachSeen(["BLK-01.mask"], {
    title: "the mask of a credit account is its card's last 4 digits",
    ...{ kinds: ["banklink.completed"], ofValid: true, requires: ["deliveries"] },
    judge: (body) =>
      (body as EventPayloads["banklink.completed"]).bankAccounts.flatMap(
        ({ type, mask, cards = [], cardIds }, index): Judgement[] => {
          // A link that did not create all cards does not show their digits.
          if (type !== "credit" || cards.length === 0 || cards.length < cardIds.length) return [];
          const digits = cards.map(({ last4digits }) => last4digits);
          const expected = `the last 4 digits of its card: ${digits.join(" or ")}`;
          const wrong = { path: `/bankAccounts/${index}/mask`, expected, actual: mask };
          return [judged("BLK-01.mask", digits.includes(mask), wrong)];
        },
      ),
    none: new Skip("no completion created all cards of a credit account"),
  }),
];
