import type { components } from "../../../generated/types.ts";
import type { Rules } from "./rule.ts";

type Feed = components["schemas"]["NetworkBulkFeedEvent"];

/** For the event of a bulk feed. */
export const feedRules: Rules<Feed> = {
  // "Currently only for feeds of NETWORK_B" may become more: another network is a notice.
  "NBF-02": ({ errorReason, newState, network }, collector) => {
    if (errorReason === undefined) return;
    if (newState !== "failed") {
      collector.violation("/errorReason", `nothing where newState is ${newState}`, errorReason);
    } else if (network !== collector.networks.b) {
      collector.notice("/errorReason", `nothing on a feed of ${network}`, errorReason);
    }
  },

  "NBF-05": ({ oldState, newState }, collector) => {
    if (oldState === newState)
      collector.violation("/newState", `another state than ${oldState}`, newState);
  },
};
