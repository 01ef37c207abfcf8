import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { Rules } from "./rule.ts";

type Subscription = components["schemas"]["CardSubscription"];

/** For a card subscription; what its kind alone decides stands in the schema. */
export const subscriptionRules: Rules<Subscription> = {
  "SUB-02": ({ enrollmentType, _links }, collector) => {
    if (enrollmentType === "network-bulk" || !Object.hasOwn(_links, "networkBulkFeed")) return;
    const link = memberOf(_links, "networkBulkFeed");
    collector.violation("/_links/networkBulkFeed", `nothing on a ${enrollmentType} one`, link);
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
