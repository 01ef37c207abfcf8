import type { ClaimId } from "../../generated/requirements.ts";
import { textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import { changeOne, type FeedState, withOne } from "./model.ts";
import { about, aText, has, only, values } from "./owed.ts";
import { type Forbidden, type Owed, onOne, type Rows, type Wanted } from "./row.ts";
import { cardOf, type Name, nextName, type StepOf } from "./step.ts";
import { creation } from "./subscriptions.ts";
import type { World } from "./world.ts";

type Decision = "acceptFeed" | "rejectFeed";

/** Network bulk feeds: their state table and networkbulkfeed.statechanged. */
export const feedRows: Rows<"submitFeed" | Decision> = {
  submitFeed: {
    when: ({ feeds }, { as }) => (as in feeds ? undefined : "applies"),
    apply: (model, { verb, as, ...count }) =>
      withOne(model, "feeds", as, { state: "submitted", ...count }),
    owes: () => [],
    *variants({ feeds }, limits) {
      const as = nextName(feeds, "feed", limits.feeds);
      if (as === undefined) return;
      yield { verb: "submitFeed", as, expectedCardCount: 1 };
      if (limits.varied) yield { verb: "submitFeed", as };
    },
    simpler: ({ verb, as, expectedCardCount }) =>
      expectedCardCount === undefined ? undefined : { verb, as },
  },

  // The cards of an accepted feed are active at once: row 2 of the card subscriptions.
  acceptFeed: {
    ...decision("acceptFeed", "active"),
    apply: (model, { feed }) => {
      const card = { enrollmentType: "network-bulk", state: "active" } as const;
      const after = changeOne(model, "feeds", feed, { state: "active" });
      return withOne(after, "cards", cardOf(feed), card);
    },
    bind: (world, { feed }, result) => {
      const [subscriptionId] = listAt(result, "subscriptionIds").map(String);
      if (subscriptionId !== undefined) world.bind(cardOf(feed), { subscriptionId });
    },
    owes: (world, { feed }, result) => [
      announced(world, feed, "NBF-04.accepted", "active", [
        values("NBF-02.absent", { "/errorReason": undefined }),
      ]),
      ...listAt(result, "subscriptionIds").map((id) => bulkCard(world, feed, String(id))),
    ],
    situations: () => ["accepted", "network-bulk"],
  },

  // The driver's feeds are of NETWORK_B, whose rejections have a reason.
  rejectFeed: {
    ...decision("rejectFeed", "failed"),
    apply: (model, { feed }) => changeOne(model, "feeds", feed, { state: "failed" }),
    owes: (world, { feed }) => {
      const reason = aText("NBF-02.present", "/errorReason", "the reason of the rejection");
      const isOfB = has("/network", world.networks.b);
      return [announced(world, feed, "NBF-04.rejected", "failed", [only(reason, isOfB)])];
    },
    situations: () => ["rejected"],
  },
};

/** What both decisions have in common. Other moves than those of submitted feeds are not shown. */
function decision(verb: Decision, after: FeedState["state"]) {
  return {
    ...onOne(verb, "feed", ({ state }) =>
      state === "submitted" ? "applies" : state === after ? "repeats" : undefined,
    ),
    quiet: (world: World, { feed }: StepOf<Decision>): Forbidden[] => {
      const { feedId } = world.idsOf(feed);
      const undue = about("networkbulkfeed.statechanged", "/id", feedId, ", which was decided");
      return [{ claim: "NBF-04.no-other-move", ...undue }];
    },
  };
}

/** Rows 1 and 2. */
function announced(
  world: World,
  feed: Name,
  claim: ClaimId,
  newState: "active" | "failed",
  wants: readonly Wanted[],
): Owed {
  const { feedId: id } = world.idsOf(feed);
  const { expectedCardCount: count } = world.model.feeds[feed] ?? {};
  const { a, b, c } = world.networks;
  // Another code is open: --networks may not name those of the target.
  const isKnown = (body: unknown) => [a, b, c].includes(textAt(body, "/network") ?? "");
  return {
    claims: [claim],
    ...about("networkbulkfeed.statechanged", "/id", id, ` to ${newState}`),
    wants: [
      values(claim, { "/oldState": "submitted", "/newState": newState }),
      values(count === undefined ? "NBF-03.absent" : "NBF-03.present", {
        "/expectedCardCount": count,
      }),
      only(values("NBF-01.network", { "/network": b }), isKnown),
      ...wants,
    ],
    once: claim,
    row: { table: "network bulk feed", row: newState === "active" ? 1 : 2, case: "submitted" },
  };
}

function bulkCard(world: World, feed: Name, subscriptionId: string): Owed {
  const { feedId } = world.idsOf(feed);
  const link = { "/_links/networkBulkFeed/href": `/network-bulk-feeds/${feedId}` };
  return creation(subscriptionId, "SUB-04.bulk-created", "network-bulk", [
    values("SUB-04.bulk-starts", { "/enrollmentType": "network-bulk", "/state": "active" }),
    values("SUB-02.own-feed", { "/networkBulkFeedId": feedId, ...link }),
  ]);
}
