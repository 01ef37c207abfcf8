// The requirement groups with one or two rules: AUTH, SUB, NBF, BLK, BAC and BTX.
import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { Rules } from "./rule.ts";

type Schemas = components["schemas"];

/** The rules of the token endpoint's response. */
export const tokenRules: Rules<Schemas["AccessToken"]> = {
  "AUTH-03.no-refresh-token": (token, collector) => {
    if (Object.hasOwn(token, "refresh_token")) {
      const value = memberOf(token, "refresh_token");
      collector.violation("/refresh_token", "nothing: clients request a new token", value);
    }
    return true;
  },
};

/** The rules of a card subscription. The schema has what depends on its kind only. */
export const subscriptionRules: Rules<Schemas["CardSubscription"]> = {
  "SUB-02.null-others": ({ enrollmentType, _links }, collector) => {
    if (enrollmentType === "network-bulk") return false;
    if (Object.hasOwn(_links, "networkBulkFeed")) {
      const expected = `nothing on a ${enrollmentType} subscription`;
      collector.violation("/_links/networkBulkFeed", expected, memberOf(_links, "networkBulkFeed"));
    }
    return true;
  },

  "SUB-03.together": ({ bankAccountId, _links: { bankAccount } }, collector) => {
    if ((bankAccountId === undefined) === (bankAccount === undefined)) return true;
    if (bankAccount) {
      const expected = "the id that _links.bankAccount leads to";
      collector.violation("/bankAccountId", expected, bankAccountId);
    } else {
      const expected = `a link to bank account ${bankAccountId}`;
      collector.violation("/_links/bankAccount", expected, bankAccount);
    }
    return true;
  },
};

/** The rules of a bulk feed's event. */
export const feedRules: Rules<Schemas["NetworkBulkFeedEvent"]> = {
  // "Currently only for feeds of NETWORK_B" may change, so another network is a notice.
  "NBF-02.absent": ({ errorReason, newState, network }, collector) => {
    if (newState !== "failed") {
      if (errorReason !== undefined)
        collector.violation("/errorReason", `nothing if newState is ${newState}`, errorReason);
      return true;
    }
    if (errorReason !== undefined && network !== collector.networks.b)
      collector.notice("/errorReason", `nothing on a feed of ${network}`, errorReason);
    return false;
  },

  "NBF-05.differ": ({ oldState, newState }, collector) => {
    if (oldState === newState)
      collector.violation("/newState", `a state other than ${oldState}`, newState);
    return true;
  },
};

/** The rules of a completed bank link. */
export const bankLinkRules: Rules<Schemas["BankLinkCompletedEvent"]> = {
  "BLK-03.absent": ({ bankAccounts }, collector) => {
    let isDecided = false;
    for (const [index, { type, cards }] of bankAccounts.entries()) {
      if (type !== "credit") isDecided = true;
      if (!cards || (type === "credit" && cards.length > 0)) continue;
      const expected =
        type === "credit" ? "the created cards, or nothing" : `nothing on a ${type} account`;
      collector.violation(`/bankAccounts/${index}/cards`, expected, cards);
    }
    return isDecided;
  },

  "BLK-03.in-card-ids": ({ bankAccounts }, collector) => {
    let isDecided = false;
    for (const [index, { cards, cardIds }] of bankAccounts.entries()) {
      if (!cards) continue;
      isDecided = true;
      const linked = new Set(cardIds);
      cards.forEach(({ id }, card) => {
        if (linked.has(id)) return;
        collector.violation(`/bankAccounts/${index}/cards/${card}/id`, "an id of cardIds", id);
      });
    }
    return isDecided;
  },
};

/** The rules of a bank account's state change. */
export const bankAccountRules: Rules<Schemas["BankAccountStateEvent"]> = {
  "BAC-01.differ": ({ state, previousState }, collector) => {
    if (state === previousState)
      collector.violation("/state", `a state other than ${previousState}`, state);
    return true;
  },
};

/** The rules of a bank transaction in a response, where only id and category are certain. */
export const bankTransactionRules: Rules<Schemas["BankTransaction"]> = {
  "BTX-02.positive": ({ amount }, collector) => {
    if (amount !== undefined && amount <= 0)
      collector.notice("/amount", "a number above 0", amount);
    return false;
  },
};

/** The rules of a bank transaction's deletion. */
export const bankTransactionDeletedRules: Rules<Schemas["BankTransactionDeletedEvent"]> = {
  "BTX-06.resource-id": ({ id, metadata: { resourceId } }, collector) => {
    if (resourceId !== id) {
      const expected = `${id}, the id of the bank transaction`;
      collector.violation("/metadata/resourceId", expected, resourceId);
    }
    return true;
  },
};
