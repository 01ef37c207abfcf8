import type { Check } from "../../check.ts";
import { deliveredLinksLeadTo } from "../shared/factories.ts";

const FEED = "GET /network-bulk-feeds/{id}";

export const bulkFeeds: readonly Check[] = [
  // NBF-01: networkbulkfeed.statechanged has the fields of the bulk feed table with oldState and
  // newState.
  deliveredLinksLeadTo(
    { [FEED]: "NBF-01.self" },
    "the self link of a feed's event has the specified path",
    ["networkbulkfeed.statechanged"],
    { self: FEED },
  ),
];
