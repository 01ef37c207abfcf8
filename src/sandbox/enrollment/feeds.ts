import type { Ledger } from "../ledger.ts";
import { bareBody } from "../links.ts";
import { applies, type Move, transition } from "../machine.ts";
import type { Resource } from "../store/resources.ts";
import { enrollCard } from "./cards.ts";
import { drawDigits, takenDigits } from "./last-digits.ts";
import type { Place } from "./place.ts";
import { tell } from "./subscriptions.ts";

export type Feed = Resource<"network-bulk-feeds">;

type FeedState = Feed["hidden"]["state"];
type FeedTrigger = "feed-submit" | "feed-accept" | "feed-reject";

const CHANGED = ["networkbulkfeed.statechanged"] as const;

/** The states of a bulk feed. Of its submission no event is shown. */
export const FEED_MOVES = [
  { trigger: "feed-submit", from: ["new"], to: "submitted", sends: [], requirement: "NBF-04" },
  {
    trigger: "feed-accept",
    from: ["submitted"],
    to: "active",
    sends: CHANGED,
    requirement: "NBF-04",
  },
  {
    trigger: "feed-reject",
    from: ["submitted"],
    to: "failed",
    sends: CHANGED,
    requirement: "NBF-04",
  },
] as const satisfies readonly Move<FeedState, FeedTrigger>[];

/** Submits a feed to its network. */
export function submitFeed(
  ledger: Ledger,
  { accountId, subaccountId }: Place,
  { network, expectedCardCount }: { network: string; expectedCardCount?: number | undefined },
): Feed {
  const id = ledger.random.id();
  const at = ledger.now();
  const networkReference = `BULK-${ledger.random.digits(8)}`;
  const { to } = transition(FEED_MOVES, "feed-submit", "new", "it");
  const body = {
    ...bareBody("network-bulk-feeds", id),
    ...{ subaccountId, network, networkReference },
    ...(expectedCardCount !== undefined && { expectedCardCount }),
    ...{ createdAt: at, updatedAt: at },
  };
  return ledger.insert({
    ...{ kind: "network-bulk-feeds", id, accountId, subaccountId, parent: subaccountId },
    body,
    hidden: {
      ...{ state: to, network, networkReference },
      expectedCardCount: expectedCardCount ?? null,
    },
  });
}

/** Whether a feed is still to be accepted or rejected. */
export const isSubmitted = ({ hidden }: Feed) => applies(FEED_MOVES, "feed-accept", hidden.state);

/** Accepts a feed, and enrolls its cards. Throws a Refusal 409. Returns the subscriptions' ids. */
export function acceptFeed(ledger: Ledger, feed: Feed, cards: number): string[] {
  moveFeed(ledger, feed, "feed-accept");
  const { id: feedId, accountId, subaccountId } = feed;
  const { network } = feed.hidden;
  const taken = takenDigits(ledger.store, subaccountId);
  const subscriptionIds: string[] = [];
  for (let count = 0; count < cards; count += 1) {
    const last4 = drawDigits(ledger, taken);
    const card = { accountId, subaccountId, feedId, last4, network };
    const change = enrollCard(ledger, "enroll-in-bulk", card);
    tell(ledger, change);
    subscriptionIds.push(change.subscription.id);
  }
  return subscriptionIds;
}

/** Rejects a feed; why is told of feeds of NETWORK_B alone (NBF-02). Throws a Refusal 409. */
export function rejectFeed(ledger: Ledger, feed: Feed, errorReason: string): void {
  const isTold = feed.hidden.network === ledger.settings.networks.b;
  moveFeed(ledger, feed, "feed-reject", isTold ? errorReason : undefined);
}

function moveFeed(
  ledger: Ledger,
  feed: Feed,
  trigger: "feed-accept" | "feed-reject",
  errorReason?: string,
): void {
  const { id, accountId, subaccountId, hidden } = feed;
  const { state: oldState, network, networkReference, expectedCardCount } = hidden;
  const { to, sends } = transition(FEED_MOVES, trigger, oldState, `bulk feed ${id}`);
  hidden.state = to;
  const updatedAt = ledger.nowAfter(String(feed.body.updatedAt));
  feed.body = { ...feed.body, updatedAt };
  ledger.store.update(feed);
  const event = {
    ...bareBody("network-bulk-feeds", id),
    ...{ subaccountId, network, networkReference, oldState, newState: to },
    ...(errorReason !== undefined && { errorReason }),
    // NBF-03
    ...(expectedCardCount !== null && { expectedCardCount }),
    ...{ createdAt: new Date(feed.createdMs).toISOString(), updatedAt },
  };
  for (const name of sends) ledger.announce(name, { accountId, resource: id }, event);
}
