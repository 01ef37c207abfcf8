import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { Rules } from "./rule.ts";

/** For the token endpoint's answer. */
export const tokenRules: Rules<components["schemas"]["AccessToken"]> = {
  "AUTH-03": (token, judge) => {
    if (Object.hasOwn(token, "refresh_token")) {
      judge.breach(
        "/refresh_token",
        "nothing: a new token is asked for",
        memberOf(token, "refresh_token"),
      );
    }
  },
};
