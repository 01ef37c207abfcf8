import * as z from "zod";
import { bareBody } from "../../model/links.ts";
import { BULK_FEED_TRANSITIONS, REJECTION_REASON } from "../../model/network-bulk-feed.ts";
import { applies } from "../../model/state-machine.ts";
import { Id, NetworkCode, Text, verbParams, WholeNumber } from "../fields.ts";
import { namedOrLatest } from "../lookup.ts";
import type { Resource } from "../resources.ts";
import type { Of } from "../schema.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { cardNetwork, drawDigits, takenDigits } from "./cards.ts";
import { subaccountFor } from "./subaccounts.ts";
import { announceSubscription, enrollCard } from "./subscriptions.ts";

type Feed = Resource<"network-bulk-feeds">;

/** The maximum number of cards of a feed. */
const MAX_CARDS = 100;

/** The number of cards of a feed without a card count. */
const DEFAULT_CARDS = 2;

export const FeedSubmitParams = verbParams({
  subaccountId: Id.optional(),
  network: NetworkCode.describe(
    "The code of a card network. Default: the code of NETWORK_B.",
  ).optional(),
  expectedCardCount: WholeNumber.describe("NBF-03: absent by default.").optional(),
}).describe("A bulk feed to submit to its network.");
export type FeedSubmitParams = Of<typeof FeedSubmitParams>;

export const FeedAcceptParams = verbParams({
  feedId: Id.describe(
    "Default: the latest submitted feed; if there is none, a new one is submitted.",
  ).optional(),
  cards: WholeNumber.max(MAX_CARDS)
    .describe("The number of cards, at most 100. Default: expectedCardCount, or 2.")
    .optional(),
}).describe("A feed that the network accepts; its cards are enrolled.");
export type FeedAcceptParams = Of<typeof FeedAcceptParams>;

export const FeedRejectParams = verbParams({
  feedId: Id.optional(),
  errorReason: Text.describe("NBF-02: sent for feeds of NETWORK_B.").optional(),
}).describe("A feed that the network rejects.");
export type FeedRejectParams = Of<typeof FeedRejectParams>;

const FeedResult = z.object({ feedId: z.string() });

export const feedSubmit = verb({
  name: "feed-submit",
  summary: "Submits a bulk feed to its network",
  requirements: ["NBF-03"],
  params: FeedSubmitParams,
  result: FeedResult,
  example: { expectedCardCount: 3 },
  run: (work, params) => ({ feedId: submit(work, params).id }),
});

export const feedAccept = verb({
  name: "feed-accept",
  summary: "Accepts a bulk feed, and enrolls its cards",
  requirements: ["NBF-04", "SUB-04"],
  params: FeedAcceptParams,
  result: z.object({ ...FeedResult.shape, subscriptionIds: z.array(z.string()) }),
  example: { cards: 3 },
  run(work, { feedId: id, accountId: owner, cards }) {
    const feed = feedFor(work, id, owner);
    const { id: feedId, accountId, subaccountId, internal } = feed;
    const usual = Math.min(internal.expectedCardCount ?? DEFAULT_CARDS, MAX_CARDS);
    changeState(work, feed, "feed-accept");
    const taken = takenDigits(work.store, subaccountId);
    const subscriptionIds = Array.from({ length: cards ?? usual }, () => {
      const last4 = drawDigits(work, taken);
      const card = { accountId, subaccountId, feedId, last4, network: internal.network };
      const change = enrollCard(work, "enroll-in-bulk", card);
      announceSubscription(work, change);
      return change.subscription.id;
    });
    return { feedId, subscriptionIds };
  },
});

export const feedReject = verb({
  name: "feed-reject",
  summary: "Rejects a bulk feed",
  requirements: ["NBF-02", "NBF-04"],
  params: FeedRejectParams,
  result: FeedResult,
  example: { errorReason: "INVALID_BATCH" },
  run(work, { feedId, accountId, errorReason = REJECTION_REASON }) {
    const feed = feedFor(work, feedId, accountId);
    // NBF-02: only feeds of NETWORK_B have a reason.
    const hasReason = feed.internal.network === work.settings.networks.b;
    changeState(work, feed, "feed-reject", hasReason ? errorReason : undefined);
    return { feedId: feed.id };
  },
});

/** The given feed, the latest submitted one, or a new one. */
function feedFor(work: UnitOfWork, id?: string, accountId?: string): Feed {
  const which = { id, accountId };
  const found = namedOrLatest(work.store, "network-bulk-feeds", which, ({ internal }) => {
    return applies(BULK_FEED_TRANSITIONS, "feed-accept", internal.state);
  });
  return found ?? submit(work, { accountId });
}

/** Submits a feed to its network. */
function submit(work: UnitOfWork, params: FeedSubmitParams): Feed {
  const network = cardNetwork(work, "b", params.network);
  const { accountId, subaccountId } = subaccountFor(work, params);
  const { expectedCardCount } = params;
  const id = work.random.id("feed");
  const at = work.now();
  const networkReference = `BULK-${work.random.digits(8)}`;
  const { to } = requireTransition(BULK_FEED_TRANSITIONS, "feed-submit", "new");
  const body = {
    ...bareBody("network-bulk-feeds", id),
    ...{ subaccountId, network, networkReference },
    ...(expectedCardCount !== undefined && { expectedCardCount }),
    ...{ createdAt: at, updatedAt: at },
  };
  return work.insert({
    ...{ kind: "network-bulk-feeds", id, accountId, subaccountId, parent: subaccountId },
    body,
    internal: {
      ...{ state: to, network, networkReference },
      expectedCardCount: expectedCardCount ?? null,
    },
  });
}

/** Accepts or rejects a feed. Throws a Refusal 409 if it is decided. */
function changeState(
  work: UnitOfWork,
  feed: Feed,
  trigger: "feed-accept" | "feed-reject",
  errorReason?: string,
): void {
  const { id, accountId, subaccountId, internal } = feed;
  const { state: oldState, network, networkReference, expectedCardCount } = internal;
  const what = `bulk feed ${id}`;
  const subject = { accountId };
  const { to, sends } = requireTransition(BULK_FEED_TRANSITIONS, trigger, oldState, what, subject);
  internal.state = to;
  const updatedAt = work.nowAfter(String(feed.body.updatedAt));
  feed.body = { ...feed.body, updatedAt };
  work.store.update(feed);
  const event = {
    ...{ ...bareBody("network-bulk-feeds", id), subaccountId, network, networkReference },
    ...{ oldState, newState: to },
    ...(errorReason !== undefined && { errorReason }),
    ...(expectedCardCount !== null && { expectedCardCount }),
    ...{ createdAt: new Date(feed.createdMs).toISOString(), updatedAt },
  };
  for (const name of sends) work.announce(name, { accountId, resource: id }, event);
}
