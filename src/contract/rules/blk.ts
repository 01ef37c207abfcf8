import type { components } from "../../../generated/types.ts";
import type { Rules } from "./rule.ts";

type Completion = components["schemas"]["BankLinkCompletedEvent"];

/** For the completion of a bank link. */
export const bankLinkRules: Rules<Completion> = {
  "BLK-03": ({ bankAccounts }, judge) => {
    bankAccounts.forEach(({ type, cards, cardIds }, index) => {
      if (!cards) return;
      const at = `/bankAccounts/${index}`;
      if (type !== "credit") judge.breach(`${at}/cards`, `nothing on a ${type} account`, cards);
      else if (cards.length === 0)
        judge.breach(`${at}/cards`, "the created cards, or nothing", cards);
      const linked = new Set(cardIds);
      cards.forEach(({ id }, card) => {
        if (!linked.has(id)) judge.breach(`${at}/cards/${card}/id`, "an id of cardIds", id);
      });
    });
  },
};
