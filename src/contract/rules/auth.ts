import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { Rules } from "./rule.ts";

/** For the token endpoint's answer. */
export const tokenRules: Rules<components["schemas"]["AccessToken"]> = {
  "AUTH-03": (token, collector) => {
    if (Object.hasOwn(token, "refresh_token")) {
      collector.violation(
        "/refresh_token",
        "nothing: a new token is asked for",
        memberOf(token, "refresh_token"),
      );
    }
  },
};
