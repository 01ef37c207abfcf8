import type { components } from "../../../generated/types.ts";
import type { Rules } from "./rule.ts";

type Deletion = components["schemas"]["BankTransactionDeletedEvent"];

/** For the removal of a bank transaction. */
export const bankTransactionDeletedRules: Rules<Deletion> = {
  "BTX-06": ({ id, metadata }, judge) => {
    const resourceId = metadata?.resourceId;
    const expected = `${id}, the id of the bank transaction`;
    if (resourceId === undefined) judge.notice("/metadata/resourceId", expected, undefined);
    else if (resourceId !== id) judge.breach("/metadata/resourceId", expected, resourceId);
  },
};
