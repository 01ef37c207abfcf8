import type { components } from "../../../generated/types.ts";
import type { Rules } from "./rule.ts";

type Schemas = components["schemas"];

/** For a bank transaction of an answer, whose fields besides id and category are not certain. */
export const bankTransactionRules: Rules<Schemas["BankTransaction"]> = {
  "BTX-02": ({ amount }, collector) => {
    if (amount !== undefined && amount <= 0)
      collector.notice("/amount", "a number above 0", amount);
  },
};

/** For the removal of a bank transaction. */
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
