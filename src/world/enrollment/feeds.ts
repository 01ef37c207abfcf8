import { bareBody } from "../../model/links.ts";
import { BULK_FEED_TRANSITIONS, feedStateEvent } from "../../model/network-bulk-feed.ts";
import { applies } from "../../model/state-machine.ts";
import type { Resource } from "../resources.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { drawDigits, enrollCard, takenDigits } from "./cards.ts";
import type { SubaccountRef } from "./subaccounts.ts";
import { announceSubscription } from "./subscriptions.ts";

export type Feed = Resource<"network-bulk-feeds">;

/** Submits a feed to its network. */
export function submitFeed(
  work: UnitOfWork,
  { accountId, subaccountId }: SubaccountRef,
  { network, expectedCardCount }: { network: string; expectedCardCount?: number | undefined },
): Feed {
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

/** Whether a feed can be accepted or rejected. */
export const isSubmitted = ({ internal }: Feed) =>
  applies(BULK_FEED_TRANSITIONS, "feed-accept", internal.state);

/**
 * Accepts a feed, and enrolls its cards.
 *
 * @returns the ids of the subscriptions
 * @throws {Refusal} 409 if the feed is decided
 */
export function acceptFeed(work: UnitOfWork, feed: Feed, cards: number): string[] {
  changeFeedState(work, feed, "feed-accept");
  const { id: feedId, accountId, subaccountId } = feed;
  const { network } = feed.internal;
  const taken = takenDigits(work.store, subaccountId);
  const subscriptionIds: string[] = [];
  for (let count = 0; count < cards; count += 1) {
    const last4 = drawDigits(work, taken);
    const card = { accountId, subaccountId, feedId, last4, network };
    const change = enrollCard(work, "enroll-in-bulk", card);
    announceSubscription(work, change);
    subscriptionIds.push(change.subscription.id);
  }
  return subscriptionIds;
}

/**
 * Rejects a feed. Only feeds of NETWORK_B have a reason (NBF-02).
 *
 * @throws {Refusal} 409 if the feed is decided
 */
export function rejectFeed(work: UnitOfWork, feed: Feed, errorReason: string): void {
  const hasReason = feed.internal.network === work.settings.networks.b;
  changeFeedState(work, feed, "feed-reject", hasReason ? errorReason : undefined);
}

function changeFeedState(
  work: UnitOfWork,
  feed: Feed,
  trigger: "feed-accept" | "feed-reject",
  errorReason?: string,
): void {
  const { id, accountId, subaccountId, internal } = feed;
  const { state: oldState, network, networkReference, expectedCardCount } = internal;
  const { to, sends } = requireTransition(
    BULK_FEED_TRANSITIONS,
    trigger,
    oldState,
    `bulk feed ${id}`,
    { accountId },
  );
  internal.state = to;
  const updatedAt = work.nowAfter(String(feed.body.updatedAt));
  feed.body = { ...feed.body, updatedAt };
  work.store.update(feed);
  const event = feedStateEvent({
    ...{ id, subaccountId, network, networkReference, oldState, newState: to },
    ...{ errorReason, expectedCardCount },
    createdAt: new Date(feed.createdMs).toISOString(),
    updatedAt,
  });
  for (const name of sends) work.announce(name, { accountId, resource: id }, event);
}
