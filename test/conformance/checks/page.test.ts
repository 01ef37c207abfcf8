import { expect, test } from "vitest";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { Mutation } from "../../../mutation/mutation.ts";
import { page as faults } from "../../../mutation/mutations/page.ts";
import { answered, onPath, refused } from "../../../mutation/rewrite.ts";
import { attempt, titlesOf } from "./attempt.ts";

type Own = Required<Pick<Mutation, "id" | "http">>;

/** Each check of pagination, with a fault that it finds. */
const cases: [fault: string | Own, found: readonly string[]][] = [
  ["page/limit-ignored", ["PAGE-01 a page never holds more items than its limit"]],
  ["page/limit-100-refused", ["PAGE-01 every limit from 1 to 100 is taken"]],
  [
    {
      id: "a wrong limit is answered 500",
      http: onPath("/transactions", ({ forward, query }) => {
        const limit = query.get("limit");
        const isLimit = limit === null || (/^\d+$/.test(limit) && +limit >= 1 && +limit <= 100);
        return isLimit ? forward() : Promise.resolve(refused(500, "Internal server error"));
      }),
    },
    [
      ..."101,1000000,larger than integers go,0,-1,1.5,1e2,no number,NaN,empty"
        .split(",")
        .map((what) => `PAGE-02 a limit that is ${what} is not honoured`),
    ],
  ],
  [
    "page/offset-required",
    ["PAGE-03 a first request with neither cursor nor offset is answered 200"],
  ],
  ["page/no-self", ["PAGE-04 _links.self is always there"]],
  ["page/no-self-later", ["PAGE-04 _links.self is always there"]],
  [
    {
      id: "self leads to another collection",
      http: answered("/bank-accounts", (json) => {
        json._links.self.href = "/bank-links?limit=100";
      }),
    },
    ["PAGE-04 self leads to the collection that the page is of"],
  ],
  ["page/next-to-nothing", ["PAGE-05 there is no next link when there are no more resources"]],
  [
    "page/next-lost",
    [
      "PAGE-05 there is a next link as long as there are more resources",
      "PAGE-11 a walk comes to every resource, whatever the limit",
    ],
  ],
  [
    {
      id: "next leads to the first page",
      http: answered("/bank-links", (json, { path }) => {
        const limit = new URLSearchParams(path?.split("?")[1]).get("limit");
        if (json._links.next) json._links.next.href = `/bank-links?limit=${limit}&again=1`;
      }),
    },
    [
      "PAGE-05 next leads to a page of further resources",
      "PAGE-11 a walk comes to no resource twice",
    ],
  ],
  ["page/no-first-later", ["PAGE-06 offset style carries _links.first and _links.last"]],
  [
    {
      id: "first leads to the last page",
      http: answered("/cards", (json) => {
        json._links.first.href = json._links.last.href;
      }),
    },
    ["PAGE-06 first leads to the first page"],
  ],
  [
    "page/prev-on-first",
    [
      "PAGE-07 the first page in offset style has no prev",
      "PAGE-07 the page at offset 0 has no prev",
    ],
  ],
  ["page/no-prev", ["PAGE-07 a later page in offset style has prev"]],
  [
    "page/total-of-page",
    [
      "PAGE-08 totalItems is the number of resources, on every page",
      "PAGE-12 a walk comes to as many resources as totalItems says",
    ],
  ],
  ["page/total-as-text", ["PAGE-08 offset style carries totalItems"]],
  ["page/cursor-with-first", ["PAGE-09 cursor style has none of first, last and prev"]],
  ["page/items", ["PAGE-10 items stand in _embedded under the resource's plural name"]],
  ["page/overlap", ["PAGE-11 a walk comes to no resource twice"]],
  ["page/skip-at-border", ["PAGE-11 a walk comes to every resource, whatever the limit"]],
  ["page/last-to-total", ["PAGE-12 last leads to the page that has no next"]],
  [
    "page/prev-to-first",
    [
      "PAGE-12 prev leads back to the page before",
      "PAGE-12 walking prev from the last page comes to every resource",
    ],
  ],
  ["page/offset-is-page", ["PAGE-13 a page begins at the position that offset gives"]],
  ["page/offset-from-1", ["PAGE-13 there is nothing at an offset beyond the end"]],
  ["page/next-loses-limit", ["PAGE-15 a page reached by a link keeps the limit"]],
  ["page/next-doubles-limit", ["PAGE-15 a page reached by a link keeps the limit"]],
  [
    // The usual limit, where more was asked for.
    {
      id: "later pages have a usual limit",
      http: onPath("/transactions", ({ forward, path, query }) => {
        if (query.has("cursor")) query.set("limit", "2");
        return forward({ target: `${path}?${query}` });
      }),
    },
    ["PAGE-15 a page reached by a link keeps the limit"],
  ],
];

const known = (id: string) => faults.find((fault) => fault.id === id)?.http;

const named = cases.map(
  ([fault, found]) =>
    [
      typeof fault === "string" ? fault : fault.id,
      typeof fault === "string" ? known(fault) : fault.http,
      found,
    ] as const,
);

test.each(named)("the checks of pagination find what they are for: %s", async (id, http, found) => {
  if (!http) throw new Error(`there is no ${id}`);
  const only = [...new Set(found.map((title) => title.split(" ")[0]))] as RequirementId[];
  const { failed, isSameAgain } = await attempt({ only, http });
  expect(failed).toEqual(expect.arrayContaining([...found]));
  expect(isSameAgain).toBe(true);
});

test("every check of pagination is seen to find something", () => {
  const found = new Set(cases.flatMap(([, titles]) => titles));
  expect(titlesOf("PAGE").filter((title) => !found.has(title))).toEqual([]);
});

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
