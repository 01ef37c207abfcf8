import { inputSchemas } from "../../../generated/control-operations.ts";
import type { FeedSubmitParams } from "../../../generated/control-types.ts";
import { REJECTION_REASON } from "../../model/network-bulk-feed.ts";
import { namedOrLatest } from "../lookup.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { VerbHandlers } from "../verbs/verb.ts";
import { cardNetwork } from "./cards.ts";
import { acceptFeed, type Feed, isSubmitted, rejectFeed, submitFeed } from "./feeds.ts";
import { subaccountFor } from "./subaccounts.ts";

/** The maximum number of cards of a feed. */
const { maximum: MAX_CARDS } = inputSchemas.FeedAcceptParams.properties.cards;

/** The number of cards of a feed without a card count. */
const DEFAULT_CARDS = 2;

/** The verbs of a bulk feed. */
export const feedVerbs: VerbHandlers<"feed-submit" | "feed-accept" | "feed-reject"> = {
  "feed-submit": (work, params) => ({ feedId: submit(work, params).id }),
  "feed-accept": (work, { feedId, accountId, cards }) => {
    const feed = feedFor(work, feedId, accountId);
    const { expectedCardCount } = feed.internal;
    const usual = Math.min(expectedCardCount ?? DEFAULT_CARDS, MAX_CARDS);
    const subscriptionIds = acceptFeed(work, feed, cards ?? usual);
    return { feedId: feed.id, subscriptionIds };
  },
  "feed-reject": (work, { feedId, accountId, errorReason }) => {
    const feed = feedFor(work, feedId, accountId);
    rejectFeed(work, feed, errorReason ?? REJECTION_REASON);
    return { feedId: feed.id };
  },
};

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
