import { expect, test } from "vitest";
import type { RequirementId } from "../../../generated/requirements.ts";
import { answered, onPath } from "../../../mutation/rewrite.ts";
import { attempt } from "./attempt.ts";

const GROUP = ["PAGE"];

test("nothing is found in a small world, and nothing is left unseen", async () => {
  const { failed, skipped, isSameAgain } = await attempt({ only: GROUP });
  expect({ failed, skipped, isSameAgain }).toEqual({ failed: [], skipped: [], isSameAgain: true });
});

test("nothing is found in an empty world, and what takes resources is unseen", async () => {
  const { failed, passed, skipped } = await attempt({ only: GROUP, world: "empty" });
  expect(failed).toEqual([]);
  expect(passed).toContain("PAGE-05 there is no next link when there are no more resources");
  expect(skipped).toContain("PAGE-11 a walk comes to every resource, whatever the limit");
});

test("nothing is found in a large world, whose long lists are walked in part", async () => {
  const { failed, skipped } = await attempt({ only: GROUP, world: "large" });
  expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
}, 120_000);

test("a limit of 0 that gives a page of nothing is found, and one that is passed over is not", async () => {
  const only: RequirementId[] = ["PAGE-02"];
  const zero = onPath("/cards", async ({ forward, path, query }) => {
    if (query.get("limit") !== "0") return forward();
    const answer = await forward({ target: `${path}?limit=1` });
    const json = JSON.parse(answer.body);
    return { ...answer, body: JSON.stringify({ ...json, _embedded: { cards: [] } }) };
  });
  const { failed } = await attempt({ only, http: zero });
  expect(failed).toEqual(["PAGE-02 a limit that is 0 is not honoured"]);
  const lenient = onPath(["/cards", "/transactions"], ({ forward, path, query }) =>
    /^([1-9]\d?|100)$/.test(query.get("limit") ?? "1") ? forward() : forward({ target: path }),
  );
  expect((await attempt({ only, http: lenient })).failed).toEqual([]);
});

test("what changed while it was walked is looked at again, and not told", async () => {
  let asked = 0;
  // A resource that is gone when the list is walked for the first time, and there from then on.
  const http = answered("/cards", (json, { path }) => {
    asked += 1;
    if (asked > 6 || !path?.includes("limit=3")) return;
    json._embedded.cards.pop();
  });
  const only: RequirementId[] = ["PAGE-05", "PAGE-08", "PAGE-11", "PAGE-12"];
  expect((await attempt({ only, http })).failed).toEqual([]);
});
