import type { components } from "../../../generated/types.ts";
import type { Rules } from "./rule.ts";

type Completion = components["schemas"]["BankLinkCompletedEvent"];

/** For the completion of a bank link. */
export const bankLinkRules: Rules<Completion> = {
  "BLK-03": ({ bankAccounts }, collector) => {
    bankAccounts.forEach(({ type, cards, cardIds }, index) => {
      if (!cards) return;
      const at = `/bankAccounts/${index}`;
      if (type !== "credit")
        collector.violation(`${at}/cards`, `nothing on a ${type} account`, cards);
      else if (cards.length === 0)
        collector.violation(`${at}/cards`, "the created cards, or nothing", cards);
      const linked = new Set(cardIds);
      cards.forEach(({ id }, card) => {
        if (!linked.has(id)) collector.violation(`${at}/cards/${card}/id`, "an id of cardIds", id);
      });
    });
  },
};
