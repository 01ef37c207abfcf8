import { expect, test } from "vitest";
import type { RequirementId } from "../../../generated/requirements.ts";
import { on } from "../../../mutation/requests.ts";
import { response } from "../../../mutation/rewrite.ts";
import { attempt } from "./attempt.ts";

const GROUP = ["PAGE"];

/** The checks that need verbs of a driver. */
const DRIVEN = [
  "PAGE-01 a page of a list of over 100 resources has at most 100",
  "PAGE-02 a limit over 100 is not honoured in a list of over 100",
  "PAGE-08 totalItems counts resources that were added during a walk",
  "PAGE-11 a walk of a growing list reaches every older resource",
];

test("all checks pass in the small seed", async () => {
  const { failed, skipped, isReplayEqual } = await attempt({ only: GROUP });
  expect({ failed, skipped, isReplayEqual }).toEqual({
    failed: [],
    skipped: DRIVEN,
    isReplayEqual: true,
  });
});

test("the empty seed has no findings; checks of resources are skipped", async () => {
  const { failed, passed, skipped } = await attempt({ only: GROUP, world: "empty" });
  expect(failed).toEqual([]);
  expect(passed).toContain("PAGE-05 the last page has no next link");
  expect(skipped).toContain("PAGE-11 walking next returns every resource, at every limit");
});

test("the large seed has no findings, though its long lists are sampled", async () => {
  const { failed, skipped } = await attempt({ only: GROUP, world: "large" });
  expect({ failed, skipped }).toEqual({ failed: [], skipped: DRIVEN });
}, 120_000);

test("an empty page for limit 0 is a finding, an ignored limit is not", async () => {
  const only: RequirementId[] = ["PAGE-02"];
  const zero = on("GET /cards", async ({ forward, path, query }) => {
    if (query.get("limit") !== "0") return forward();
    const answer = await forward({ target: `${path}?limit=1` });
    const json = JSON.parse(answer.body);
    return { ...answer, body: JSON.stringify({ ...json, _embedded: { cards: [] } }) };
  });
  const { failed } = await attempt({ only, ...zero });
  expect(failed).toEqual(["PAGE-02 the invalid limit '0' is not honoured"]);
  const lenient = on(["GET /cards", "GET /transactions"], ({ forward, path, query }) =>
    /^([1-9]\d?|100)$/.test(query.get("limit") ?? "1") ? forward() : forward({ target: path }),
  );
  expect((await attempt({ only, ...lenient })).failed).toEqual([]);
});

test("a list that changed during the walk is fetched again", async () => {
  let requests = 0;
  // A card is missing from the first walk and present afterwards.
  const { http } = response("/cards").change((json, { query }) => {
    requests += 1;
    if (requests > 6 || query?.get("limit") !== "3") return;
    json._embedded.cards.pop();
  });
  const only: RequirementId[] = ["PAGE-05", "PAGE-08", "PAGE-11", "PAGE-12"];
  expect((await attempt({ only, http })).failed).toEqual([]);
});
