import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, breachAt, differences } from "../../assert.ts";
import type { Check } from "../../check.ts";
import type { Session } from "../../run/session.ts";
import { hasVerb, runScenarios, type Scenarios } from "../../scenarios/act.ts";
import { accepted, type FeedDecision, rejected } from "../../scenarios/feeds.ts";
import { findEvents } from "../../scenarios/find-deliveries.ts";

const ACCEPTED = ["verb:submitFeed", "verb:acceptFeed", "deliveries"] as const;
const REJECTED = ["verb:submitFeed", "verb:rejectFeed", "deliveries"] as const;
const NOTHING = "no change of a bulk feed was announced: see NBF-04";

/** Checks bulk feeds that their network accepts or rejects. */
export const feedChecks: readonly Check[] = [
  // NBF-02: errorReason is present only if newState is failed, currently only for feeds of
  // NETWORK_B.
  {
    requirement: "NBF-02",
    title: "errorReason is given for a rejected feed of NETWORK_B only",
    requires: REJECTED,
    alternative: true,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: feeds, missing } = await decided(session);
      for (const feed of feeds) {
        const isOfB = ({ json }: ReturnType<typeof changesOf>[number]) =>
          memberOf(json, "network") === session.capabilities.networks.b;
        for (const change of changesOf(feed)) {
          const isFailure = feed.newState === "failed";
          if (isFailure && !isOfB(change)) continue;
          const reason = memberOf(change.json, "errorReason");
          const expected = isFailure ? "the reason of the rejection" : "nothing on an active feed";
          const isRight = isFailure ? typeof reason === "string" : reason === undefined;
          assertions.check(isRight, breachAt(change, "/errorReason", expected));
        }
      }
      return assertions.result(NOTHING, missing);
    },
  },
  // NBF-03: expectedCardCount is present on every event of a feed that was created with it, and
  // absent otherwise.
  {
    requirement: "NBF-03",
    title: "expectedCardCount is on every event of a feed created with it",
    requires: REJECTED,
    alternative: true,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: feeds, missing } = await decided(session);
      for (const feed of feeds) {
        for (const change of changesOf(feed)) {
          assertions.hasValues(change, { "/expectedCardCount": feed.expectedCardCount });
        }
      }
      return assertions.result(NOTHING, missing);
    },
  },
  move("an accepted feed is announced as active", ACCEPTED, accepted),
  move("a rejected feed is announced as failed", REJECTED, rejected),
];

function move(
  title: string,
  needs: Check["requires"],
  scenario: (session: Session) => Promise<Scenarios<FeedDecision>>,
): Check {
  return {
    requirement: "NBF-04",
    title,
    requires: needs,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: feeds, missing } = await scenario(session);
      for (const feed of feeds) {
        const what = `networkbulkfeed.statechanged of ${feed.feedId}`;
        assertions.wasDelivered(changesOf(feed), what, feed.resource, (change) =>
          differences(change, { "/oldState": "submitted", "/newState": feed.newState }),
        );
        for (const change of changesOf(feed)) {
          // Later transitions are unspecified, but a feed leaves submitted only once.
          if (memberOf(change.json, "oldState") !== "submitted") continue;
          assertions.hasValues(change, { "/newState": feed.newState });
        }
      }
      return assertions.result(NOTHING, missing);
    },
  };
}

/** Runs the scenarios that reject or accept a feed and that the driver supports. */
async function decided(session: Session): Promise<Scenarios<FeedDecision>> {
  const { completed, missing } = await runScenarios<Scenarios<FeedDecision>>(
    () => rejected(session),
    ...(hasVerb(session, "acceptFeed") ? [() => accepted(session)] : []),
  );
  const first = missing ?? completed.find((each) => each.missing)?.missing;
  return {
    completed: completed.flatMap((each) => each.completed),
    ...(first && { missing: first }),
  };
}

function changesOf({ deliveries, feedId }: FeedDecision) {
  return findEvents(deliveries, "networkbulkfeed.statechanged", { "/id": feedId });
}
