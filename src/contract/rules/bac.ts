import type { components } from "../../../generated/types.ts";
import type { Rules } from "./rule.ts";

type Move = components["schemas"]["BankAccountStateEvent"];

/** For a bank account's change of state. */
export const bankAccountRules: Rules<Move> = {
  "BAC-01": ({ state, previousState }, collector) => {
    if (state === previousState)
      collector.violation("/state", `another than ${previousState}`, state);
  },
};
