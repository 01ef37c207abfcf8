import { type Transition, transitions } from "./state-machine.ts";

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
