import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, breachAt, differences } from "../../assert.ts";
import type { Check, Session } from "../../check.ts";
import { allDeliveries, hasVerbs, runScenarios, type Scenarios } from "../../scenarios/act.ts";
import { accepted, decidedAgain, type FeedDecision, rejected } from "../../scenarios/enrollment.ts";
import { distinctEvents, findEvents, undueEvents } from "../../scenarios/find-deliveries.ts";

const ACCEPTED = ["verb:submitFeed", "verb:acceptFeed", "deliveries"] as const;
const REJECTED = ["verb:submitFeed", "verb:rejectFeed", "deliveries"] as const;
const NOTHING = "no change of a bulk feed was announced: see NBF-04";

/** Checks bulk feeds that their network accepts or rejects. */
export const feedChecks: readonly Check[] = [
  // NBF-02: errorReason is present only if newState is failed, currently only for feeds of
  // NETWORK_B.
  {
    claims: ["NBF-02.present", "NBF-02.absent"],
    title: "errorReason is given for a rejected feed of NETWORK_B only",
    requires: REJECTED,
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
          const claim = isFailure ? "NBF-02.present" : "NBF-02.absent";
          assertions.of(claim).check(isRight, breachAt(change, "/errorReason", expected));
        }
      }
      return assertions.result(NOTHING, missing);
    },
  },
  // NBF-03: expectedCardCount is present on every event of a feed that was created with it, and
  // absent otherwise.
  {
    claims: ["NBF-03.present", "NBF-03.absent"],
    title: "expectedCardCount is on every event of a feed created with it",
    requires: REJECTED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: feeds, missing } = await decided(session);
      for (const feed of feeds) {
        const isGiven = feed.expectedCardCount !== undefined;
        const claim = isGiven ? "NBF-03.present" : "NBF-03.absent";
        for (const change of changesOf(feed)) {
          const hasFailed = memberOf(change.json, "newState") === "failed";
          const count = assertions.of(claim, hasFailed ? "rejected" : "accepted");
          count.hasValues(change, { "/expectedCardCount": feed.expectedCardCount });
        }
      }
      return assertions.result(NOTHING, missing);
    },
  },
  move("NBF-04.accepted", "an accepted feed is announced as active", ACCEPTED, accepted),
  move("NBF-04.rejected", "a rejected feed is announced as failed", REJECTED, rejected),
  {
    claims: ["NBF-04.no-other-move"],
    title: "a repeated decision on a feed is not announced",
    requires: ACCEPTED,
    run: async (session) => {
      const { completed, missing } = await decidedAgain(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      for (const { feedId, verb, earlier, later, resource } of completed) {
        const [more] = undueEvents(later, earlier, all);
        assertions.of("NBF-04.no-other-move", "repeated-verb").check(more === undefined, {
          expected: `no further networkbulkfeed.statechanged of ${feedId} when ${verb} is repeated`,
          actual: "one was delivered",
          evidence: [more ?? resource],
        });
      }
      return assertions.result(NOTHING, missing);
    },
  },
  // NBF-01: networkbulkfeed.statechanged has the fields of the bulk feed table with oldState and
  // newState.
  {
    claims: ["NBF-01.network"],
    title: "a bulk feed is of NETWORK_B",
    requires: ["verb:submitFeed", "deliveries"],
    run: async (session) => {
      const { a, b, c } = session.capabilities.networks;
      const assertions = new Assertions();
      const { completed: feeds, missing } = await decided(session);
      for (const change of feeds.flatMap(changesOf)) {
        const network = memberOf(change.json, "network");
        // Another code is open: --networks may not name those of the target.
        if (network !== a && network !== b && network !== c) continue;
        assertions.hasValues(change, { "/network": b });
      }
      return assertions.result("no feed has a code of --networks", missing);
    },
  },
];

function move(
  claim: "NBF-04.accepted" | "NBF-04.rejected",
  title: string,
  needs: Check["requires"],
  scenario: (session: Session) => Promise<Scenarios<FeedDecision>>,
): Check {
  return {
    claims: [claim],
    title,
    requires: needs,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: feeds, missing } = await scenario(session);
      const all = await allDeliveries(session);
      for (const [at, feed] of feeds.entries()) {
        const what = `networkbulkfeed.statechanged of ${feed.feedId}`;
        const move = assertions.of(claim, at === 0 ? "first" : "second");
        const sent = changesOf(feed);
        move.atMost(1, distinctEvents(sent, all), `one ${what}`);
        move.wasDelivered(changesOf(feed), what, feed.resource, (change) =>
          differences(change, { "/oldState": "submitted", "/newState": feed.newState }),
        );
        for (const change of changesOf(feed)) {
          // Later transitions are unspecified, but a feed leaves submitted only once.
          if (memberOf(change.json, "oldState") !== "submitted") continue;
          move.hasValues(change, { "/newState": feed.newState });
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
    ...(hasVerbs(session, "acceptFeed") ? [() => accepted(session)] : []),
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
