import type { ClaimId } from "../../generated/requirements.ts";
import { textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import type { FeedState, Model } from "./model.ts";
import { withCard } from "./model.ts";
import { about, aText, has, only, values } from "./owed.ts";
import { meaningFor, type Owed, type Row, type Rows, type Wanted } from "./row.ts";
import { cardOfFeed, type Name, nextName, type StepOf } from "./step.ts";
import { creation } from "./subscriptions.ts";
import type { World } from "./world.ts";

type Decision = "acceptFeed" | "rejectFeed";

/** Network bulk feeds: their state table and networkbulkfeed.statechanged. */
export const feedRows: Rows<"submitFeed" | Decision> = {
  submitFeed: {
    params: ({ expectedCardCount: count }) => {
      return count === undefined ? {} : { expectedCardCount: count };
    },
    when: ({ feeds }, { as }) => (as in feeds ? undefined : "applies"),
    apply: (model, { as, expectedCardCount: count }) =>
      withFeed(model, as, {
        state: "submitted",
        ...(count !== undefined && { expectedCardCount: count }),
      }),
    owes: () => [],
    *variants({ feeds }, limits) {
      const submitted = Object.keys(feeds);
      if (submitted.length >= limits.feeds) return;
      const as = nextName(submitted, "feed");
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
      return withCard(decided(model, feed, "active"), cardOfFeed(feed), card);
    },
    bind: (world, { feed }, result) => {
      const [subscriptionId] = listAt(result, "subscriptionIds").map(String);
      if (subscriptionId !== undefined) world.bind(cardOfFeed(feed), { subscriptionId });
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
    apply: (model, { feed }) => decided(model, feed, "failed"),
    owes: (world, { feed }) => {
      const reason = aText("NBF-02.present", "/errorReason", "the reason of the rejection");
      const isOfB = has("/network", world.networks.b);
      return [announced(world, feed, "NBF-04.rejected", "failed", [only(reason, isOfB)])];
    },
    situations: () => ["rejected"],
  },
};

function withFeed(model: Model, name: Name, feed: FeedState): Model {
  return { ...model, feeds: { ...model.feeds, [name]: feed } };
}

function decided(model: Model, name: Name, state: FeedState["state"]): Model {
  return withFeed(model, name, { ...(model.feeds[name] as FeedState), state });
}

type CommonPart = "params" | "when" | "quiet" | "variants";

/** What both decisions have in common. Other moves than those of submitted feeds are not shown. */
function decision<V extends Decision>(
  verb: V,
  after: FeedState["state"],
): Pick<Row<V>, CommonPart> {
  return {
    params: ({ feed }: StepOf<Decision>, world) => ({ feedId: world.idsOf(feed).feedId }) as never,
    when: ({ feeds }, { feed }: StepOf<Decision>) =>
      meaningFor(feeds[feed], ({ state }) => {
        return state === "submitted" ? "applies" : state === after ? "repeats" : undefined;
      }),
    quiet: (world, { feed }: StepOf<Decision>) => {
      const { feedId } = world.idsOf(feed);
      const event = "networkbulkfeed.statechanged";
      const what = `further ${event} of ${feedId}`;
      return [{ claim: "NBF-04.no-other-move", event, what, is: has("/id", feedId) }];
    },
    *variants({ feeds }) {
      for (const feed of Object.keys(feeds)) yield { verb, feed } as StepOf<V>;
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
  const created = creation(subscriptionId, "SUB-04.bulk-created", { row: 2, type: "network-bulk" });
  return {
    ...created,
    wants: [
      values("SUB-04.bulk-starts", { "/enrollmentType": "network-bulk", "/state": "active" }),
      values("SUB-02.own-feed", { "/networkBulkFeedId": feedId, ...link }),
    ],
  };
}
