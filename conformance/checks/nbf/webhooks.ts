import type { Check } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { allNamed } from "../../observe/deliveries/reading.ts";
import { byId, withEvent } from "../shared/delivery-cases.ts";
import { bySituations, inHistory } from "../shared/factories.ts";

const EVENT = ["networkbulkfeed.statechanged"] as const;
const NONE = "no networkbulkfeed.statechanged was delivered";

export const bulkFeeds: readonly Check[] = [
  // NBF-01: networkbulkfeed.statechanged has the fields of the bulk feed table with oldState and
  // newState.
  inDeliveries(
    ["NBF-01.fields", "NBF-01.self"],
    "networkbulkfeed.statechanged has the fields of the feed table",
  ),
  // NBF-02: errorReason is present only if newState is failed, currently only for feeds of
  // NETWORK_B.
  bySituations(
    inDeliveries(
      ["NBF-02.absent"],
      "errorReason is present only if newState is failed",
      withEvent(EVENT),
      NONE,
    ),
    { "NBF-02.absent": ["accepted"] },
  ),
  // NBF-03: expectedCardCount is present on every event of a feed that was created with it, and
  // absent otherwise.
  inHistory(
    ["NBF-03.present", "NBF-03.absent"],
    "expectedCardCount is on all events of a feed or on none",
    {
      cases: ({ reading }) =>
        byId(allNamed(reading.typed, ...EVENT)).filter((events) => events.length > 1).length,
      skipReason: "no feed with more than one event",
    },
  ),
  // NBF-04: A feed moves from submitted to active or from submitted to failed, each announced by
  // networkbulkfeed.statechanged; other moves are not shown.
  inHistory(["NBF-04.no-other-move"], "a feed leaves the state submitted once", {
    cases: ({ reading }) =>
      allNamed(reading.typed, ...EVENT).filter(({ body }) => body.oldState === "submitted").length,
    skipReason: "no feed left the state submitted",
  }),
  // NBF-05: oldState and newState differ.
  inDeliveries(
    ["NBF-05.differ"],
    "oldState and newState of a delivery differ",
    withEvent(EVENT),
    NONE,
  ),
];
