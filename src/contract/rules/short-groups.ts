// The requirement groups with one or two rules: AUTH, SUB, NBF, BLK, BAC and BTX.
import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { Rules } from "./rule.ts";

type Schemas = components["schemas"];

/** The rules of the token endpoint's response. */
export const tokenRules: Rules<Schemas["AccessToken"]> = {
  "AUTH-03": (token, collector) => {
    if (Object.hasOwn(token, "refresh_token")) {
      collector.violation(
        "/refresh_token",
        "nothing: clients request a new token",
        memberOf(token, "refresh_token"),
      );
    }
  },
};

/** The rules of a card subscription. The schema has what depends on its kind only. */
export const subscriptionRules: Rules<Schemas["CardSubscription"]> = {
  "SUB-02": ({ enrollmentType, _links }, collector) => {
    if (enrollmentType === "network-bulk" || !Object.hasOwn(_links, "networkBulkFeed")) return;
    const link = memberOf(_links, "networkBulkFeed");
    collector.violation(
      "/_links/networkBulkFeed",
      `nothing on a ${enrollmentType} subscription`,
      link,
    );
  },

  "SUB-03": ({ bankAccountId, _links: { bankAccount } }, collector) => {
    if ((bankAccountId === undefined) === (bankAccount === undefined)) return;
    if (bankAccount)
      collector.violation(
        "/bankAccountId",
        "the id that _links.bankAccount leads to",
        bankAccountId,
      );
    else
      collector.violation(
        "/_links/bankAccount",
        `a link to bank account ${bankAccountId}`,
        bankAccount,
      );
  },
};

/** The rules of a bulk feed's event. */
export const feedRules: Rules<Schemas["NetworkBulkFeedEvent"]> = {
  // "Currently only for feeds of NETWORK_B" may change, so another network is a notice.
  "NBF-02": ({ errorReason, newState, network }, collector) => {
    if (errorReason === undefined) return;
    if (newState !== "failed") {
      collector.violation("/errorReason", `nothing if newState is ${newState}`, errorReason);
    } else if (network !== collector.networks.b) {
      collector.notice("/errorReason", `nothing on a feed of ${network}`, errorReason);
    }
  },

  "NBF-05": ({ oldState, newState }, collector) => {
    if (oldState === newState)
      collector.violation("/newState", `a state other than ${oldState}`, newState);
  },
};

/** The rules of a completed bank link. */
export const bankLinkRules: Rules<Schemas["BankLinkCompletedEvent"]> = {
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

/** The rules of a bank account's state change. */
export const bankAccountRules: Rules<Schemas["BankAccountStateEvent"]> = {
  "BAC-01": ({ state, previousState }, collector) => {
    if (state === previousState)
      collector.violation("/state", `a state other than ${previousState}`, state);
  },
};

/** The rules of a bank transaction in a response, where only id and category are certain. */
export const bankTransactionRules: Rules<Schemas["BankTransaction"]> = {
  "BTX-02": ({ amount }, collector) => {
    if (amount !== undefined && amount <= 0)
      collector.notice("/amount", "a number above 0", amount);
  },
};

/** The rules of a bank transaction's deletion. */
export const bankTransactionDeletedRules: Rules<Schemas["BankTransactionDeletedEvent"]> = {
  "BTX-06": ({ id, metadata: { resourceId } }, collector) => {
    if (resourceId === id) return;
    collector.violation(
      "/metadata/resourceId",
      `${id}, the id of the bank transaction`,
      resourceId,
    );
  },
};
