import type { EventPayloads } from "../../generated/events.ts";
import { bareBody } from "./links.ts";
import { pick } from "./pick.ts";
import { type Transition, transitions } from "./state-machine.ts";

type StateEvent = EventPayloads["networkbulkfeed.statechanged"];

export type FeedState = "submitted" | "active" | "failed";
type FeedTrigger = "feed-submit" | "feed-accept" | "feed-reject";

const CHANGED = ["networkbulkfeed.statechanged"] as const;

/** The states of a bulk feed. The interface shows no event for the submission. */
export const BULK_FEED_TRANSITIONS = transitions([
  ["feed-submit", ["new"], "submitted", [], "NBF-04"],
  ["feed-accept", ["submitted"], "active", CHANGED, "NBF-04"],
  ["feed-reject", ["submitted"], "failed", CHANGED, "NBF-04"],
]) satisfies readonly Transition<FeedState, FeedTrigger>[];

/** The default reason for a rejection (NBF-02). */
export const REJECTION_REASON = "Company not registered for bulk feeds";

/** The fields of a bulk feed's event. */
interface FeedFields
  extends Pick<
    StateEvent,
    | ("id" | "subaccountId" | "network" | "networkReference")
    | ("oldState" | "newState" | "createdAt" | "updatedAt")
  > {
  /** Why the network rejected the feed; undefined leaves it out (NBF-02). */
  readonly errorReason?: string | undefined;
  /** null leaves it out (NBF-03). */
  readonly expectedCardCount: number | null;
}

/** Builds the event of a bulk feed's new state. */
export function feedStateEvent(feed: FeedFields): StateEvent {
  const { errorReason, expectedCardCount } = feed;
  return {
    ...bareBody("network-bulk-feeds", feed.id),
    ...pick(feed, "subaccountId", "network", "networkReference", "oldState", "newState"),
    ...(errorReason !== undefined && { errorReason }),
    ...(expectedCardCount !== null && { expectedCardCount }),
    ...pick(feed, "createdAt", "updatedAt"),
  };
}
