import * as z from "zod";
import { REJECTION_REASON } from "../../model/network-bulk-feed.ts";
import { Id, NetworkCode, OfAccount, Text, WholeNumber } from "../fields.ts";
import { namedOrLatest } from "../lookup.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { cardNetwork } from "./cards.ts";
import { acceptFeed, type Feed, isSubmitted, rejectFeed, submitFeed } from "./feeds.ts";
import { subaccountFor } from "./subaccounts.ts";

/** The maximum number of cards of a feed. */
const MAX_CARDS = 100;

/** The number of cards of a feed without a card count. */
const DEFAULT_CARDS = 2;

export const FeedSubmitParams = z
  .strictObject({
    ...OfAccount.shape,
    subaccountId: Id.optional(),
    network: NetworkCode.describe(
      "The code of a card network. Default: the code of NETWORK_B.",
    ).optional(),
    expectedCardCount: WholeNumber.describe("NBF-03: absent by default.").optional(),
  })
  .describe("A bulk feed to submit to its network.");
export type FeedSubmitParams = Of<typeof FeedSubmitParams>;

export const FeedAcceptParams = z
  .strictObject({
    ...OfAccount.shape,
    feedId: Id.describe(
      "Default: the latest submitted feed; if there is none, a new one is submitted.",
    ).optional(),
    cards: WholeNumber.max(MAX_CARDS)
      .describe("The number of cards, at most 100. Default: expectedCardCount, or 2.")
      .optional(),
  })
  .describe("A feed that the network accepts; its cards are enrolled.");
export type FeedAcceptParams = Of<typeof FeedAcceptParams>;

export const FeedRejectParams = z
  .strictObject({
    ...OfAccount.shape,
    feedId: Id.optional(),
    errorReason: Text.describe("NBF-02: sent for feeds of NETWORK_B.").optional(),
  })
  .describe("A feed that the network rejects.");
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
  run(work, { feedId, accountId, cards }) {
    const feed = feedFor(work, feedId, accountId);
    const { expectedCardCount } = feed.internal;
    const usual = Math.min(expectedCardCount ?? DEFAULT_CARDS, MAX_CARDS);
    const subscriptionIds = acceptFeed(work, feed, cards ?? usual);
    return { feedId: feed.id, subscriptionIds };
  },
});

export const feedReject = verb({
  name: "feed-reject",
  summary: "Rejects a bulk feed",
  requirements: ["NBF-02", "NBF-04"],
  params: FeedRejectParams,
  result: FeedResult,
  example: { errorReason: "INVALID_BATCH" },
  run(work, { feedId, accountId, errorReason }) {
    const feed = feedFor(work, feedId, accountId);
    rejectFeed(work, feed, errorReason ?? REJECTION_REASON);
    return { feedId: feed.id };
  },
});

/** The given feed, the latest submitted one, or a new one. */
function feedFor(work: UnitOfWork, id?: string, accountId?: string): Feed {
  const which = { id, accountId };
  const found = namedOrLatest(work.store, "network-bulk-feeds", which, isSubmitted);
  return found ?? submit(work, { accountId });
}

function submit(work: UnitOfWork, params: FeedSubmitParams): Feed {
  const network = cardNetwork(work, "b", params.network);
  const { expectedCardCount } = params;
  return submitFeed(work, subaccountFor(work, params), { network, expectedCardCount });
}
