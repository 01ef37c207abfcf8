import { memberOf } from "../../../src/contract/pointer.ts";
import { type Check, Skip } from "../../check.ts";
import { eachSeen, judged, linksLeadTo } from "../shared/seen.ts";

const FEED = "GET /network-bulk-feeds/{id}";

export const bulkFeeds: readonly Check[] = [
  // NBF-01: networkbulkfeed.statechanged has the fields of the bulk feed table with oldState and
  // newState.
  linksLeadTo(
    { [FEED]: "NBF-01.self" },
    {
      title: "the self link of a feed's event has the specified path",
      ...{ kinds: ["networkbulkfeed.statechanged"], requires: ["deliveries"] },
      names: { self: FEED },
    },
  ),
  // NBF-02: errorReason is present only if newState is failed, currently only for feeds of
  // NETWORK_B.
  eachSeen(["NBF-02.present"], {
    title: "a rejected feed of NETWORK_B has an errorReason",
    ...{ kinds: ["networkbulkfeed.statechanged"], requires: ["deliveries"], ofValid: true },
    judge: (body, _, { capabilities }) => {
      const has = (name: string, value: string) => memberOf(body, name) === value;
      const isRejected = has("oldState", "submitted") && has("newState", "failed");
      if (!isRejected || !has("network", capabilities.networks.b)) return [];
      const isRight = memberOf(body, "errorReason") !== undefined;
      const expected = "the reason of the rejection";
      const wrong = { path: "/errorReason", expected, actual: "nothing" };
      return [judged("NBF-02.present", isRight, wrong)];
    },
    none: new Skip("no feed of NETWORK_B was rejected"),
  }),
];
