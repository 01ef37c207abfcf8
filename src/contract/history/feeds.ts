import type { components } from "../../../generated/types.ts";
import { contentsWith, type World } from "./world.ts";

/** The moves of a feed that are shown (NBF-04). */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  submitted: ["active", "failed"],
  active: [],
  failed: [],
};

/** Reads `networkbulkfeed.statechanged`. */
export function onFeedMoved(
  body: components["schemas"]["NetworkBulkFeedEvent"],
  content: number,
  world: World,
): void {
  const { chronicle } = world;
  const before = world.feeds.get(body.id);
  if (before?.contents.isRepeat(content)) return;
  const { oldState, newState } = body;
  const hasCount = body.expectedCardCount !== undefined;
  const lines = [before?.line];
  if (before && hasCount !== before.hasCount) {
    chronicle.breach("NBF-03", {
      path: "/expectedCardCount",
      expected: before.hasCount ? "a number, as on its other events" : "nothing, as on its others",
      value: body.expectedCardCount,
      lines,
    });
  }
  // A feed leaves submitted once.
  const isKnown = before && !world.unreadable.has(body.id);
  if (isKnown && oldState === "submitted" && before.newState !== oldState) {
    const expected = `${before.newState}, where the feed is`;
    chronicle.doubt("NBF-04", { path: "/oldState", expected, value: oldState, lines });
  } else if (MOVES[oldState] && newState in MOVES && !MOVES[oldState].includes(newState)) {
    // Other moves are not shown, and what is not shown is open.
    const expected = "a move from submitted to active or failed";
    chronicle.notice("NBF-04", { path: "/newState", expected, value: newState, lines });
  }
  const contents = before?.contents ?? contentsWith(content);
  world.feeds.set(body.id, { contents, line: chronicle.line, newState, hasCount });
}
