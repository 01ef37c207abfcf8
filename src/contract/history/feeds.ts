import type { components } from "../../../generated/types.ts";
import { type HistoryState, rememberedDeliveries } from "./history-state.ts";

/** The known state transitions of a feed (NBF-04). */
const TRANSITIONS: Readonly<Record<string, readonly string[]>> = {
  submitted: ["active", "failed"],
  active: [],
  failed: [],
};

/** Checks and records a `networkbulkfeed.statechanged` event. */
export function onFeedStateChanged(
  body: components["schemas"]["NetworkBulkFeedEvent"],
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const before = history.feeds.get(body.id);
  if (before?.contents.isDuplicate(hash)) return;
  const { oldState, newState } = body;
  const hasCount = body.expectedCardCount !== undefined;
  const lines = [before?.line];
  const claim = before?.hasCount ? "NBF-03.present" : "NBF-03.absent";
  if (before) reporter.case(claim);
  if (before && hasCount !== before.hasCount) {
    reporter.violation(claim, {
      path: "/expectedCardCount",
      expected: before.hasCount
        ? "a number, as in its other events"
        : "nothing, as in its other events",
      value: body.expectedCardCount,
      lines,
    });
  }
  if (oldState === "submitted") reporter.caseIfComplete("NBF-04.no-other-move");
  // A feed leaves submitted only once.
  const isKnown = before && !history.unreadable.has(body.id);
  if (isKnown && oldState === "submitted" && before.newState !== oldState) {
    const expected = `${before.newState}, the feed's current state`;
    reporter.violationIfComplete("NBF-04.no-other-move", {
      path: "/oldState",
      expected,
      value: oldState,
      lines,
    });
  } else if (
    TRANSITIONS[oldState] &&
    newState in TRANSITIONS &&
    !TRANSITIONS[oldState].includes(newState)
  ) {
    // The interface does not mention other transitions, so they are allowed.
    const expected = "a transition from submitted to active or failed";
    reporter.notice("NBF-04.no-other-move", {
      path: "/newState",
      expected,
      value: newState,
      lines,
    });
  }
  const contents = before?.contents ?? rememberedDeliveries(hash);
  history.feeds.set(body.id, { contents, line: reporter.line, newState, hasCount });
}
