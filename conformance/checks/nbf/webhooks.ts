import type { Check } from "../../check.ts";
import { linksLeadTo } from "../shared/seen.ts";

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
];
