import type { EventPayloads } from "../../generated/events.ts";
import { bareBody } from "./links.ts";
import type { Transition } from "./state-machine.ts";

type StateEvent = EventPayloads["networkbulkfeed.statechanged"];

export type FeedState = "submitted" | "active" | "failed";
type FeedTrigger = "feed-submit" | "feed-accept" | "feed-reject";

const CHANGED = ["networkbulkfeed.statechanged"] as const;

/** The states of a bulk feed. The interface shows no event for the submission. */
export const BULK_FEED_TRANSITIONS = [
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
] as const satisfies readonly Transition<FeedState, FeedTrigger>[];

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
  const { subaccountId, network, networkReference, oldState, newState } = feed;
  const { errorReason, expectedCardCount, createdAt, updatedAt } = feed;
  return {
    ...bareBody("network-bulk-feeds", feed.id),
    ...{ subaccountId, network, networkReference, oldState, newState },
    ...(errorReason !== undefined && { errorReason }),
    ...(expectedCardCount !== null && { expectedCardCount }),
    ...{ createdAt, updatedAt },
  };
}
