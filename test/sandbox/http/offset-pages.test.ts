import { describe, expect, test } from "vitest";
import { idsOf, startTestServer } from "./test-server.ts";

describe("the offset style of /cards", () => {
  const LINKS: [query: string, links: Record<string, string>, items: number[]][] = [
    ["limit=2", { self: "limit=2", next: "offset=2&limit=2" }, [0, 1]],
    ["offset=0&limit=2", { self: "offset=0&limit=2", next: "offset=2&limit=2" }, [0, 1]],
    [
      "offset=2&limit=2",
      { self: "offset=2&limit=2", next: "offset=4&limit=2", prev: "offset=0&limit=2" },
      [2, 3],
    ],
    ["offset=4&limit=2", { self: "offset=4&limit=2", prev: "offset=2&limit=2" }, [4]],
    [
      "offset=1&limit=2",
      { self: "offset=1&limit=2", next: "offset=3&limit=2", prev: "offset=0&limit=2" },
      [1, 2],
    ],
    ["offset=3&limit=2", { self: "offset=3&limit=2", prev: "offset=1&limit=2" }, [3, 4]],
    ["offset=5&limit=2", { self: "offset=5&limit=2", prev: "offset=4&limit=2" }, []],
    [
      "offset=9007199254740991&limit=2",
      { self: "offset=9007199254740991&limit=2", prev: "offset=4&limit=2" },
      [],
    ],
  ];

  test.each(LINKS)(
    "PAGE-06, PAGE-07, PAGE-08, PAGE-13: ?%s of 5 has its links",
    async (query, links, items) => {
      const { put, ask } = await startTestServer();
      const ids = Array.from({ length: 5 }, () => put("cards"));
      const { json } = await ask("GET", `/cards?${query}`);
      expect(json.totalItems).toBe(5);
      expect(idsOf(json._embedded.cards)).toEqual(items.map((at) => ids[at]));
      const all = { first: "offset=0&limit=2", last: "offset=4&limit=2", ...links };
      const hrefs = Object.entries(all).map(([name, rest]) => [name, { href: `/cards?${rest}` }]);
      expect(json._links).toEqual(Object.fromEntries(hrefs));
    },
  );

  test.each([
    [0, 3, 0],
    [1, 3, 0],
    [3, 3, 0],
    [4, 3, 3],
    [6, 3, 3],
    [7, 3, 6],
  ])(
    "PAGE-12: the last of %i in pages of %i begins at %i, and has no next",
    async (count, limit, at) => {
      const { put, ask } = await startTestServer();
      for (let made = 0; made < count; made += 1) put("cards");
      const { last } = (await ask("GET", `/cards?limit=${limit}`)).json._links;
      expect(last.href).toBe(`/cards?offset=${at}&limit=${limit}`);
      expect((await ask("GET", last.href)).json._links.next).toBeUndefined();
    },
  );

  test("PAGE-12: prev reverses next", async () => {
    const { put, ask } = await startTestServer();
    for (let count = 0; count < 7; count += 1) put("cards");
    const pages = [(await ask("GET", "/cards?limit=3")).json];
    for (let page = pages[0]; page._links.next; pages.push(page)) {
      page = (await ask("GET", page._links.next.href)).json;
    }
    for (const [at, page] of pages.entries()) {
      if (at === 0) expect(page._links.prev).toBeUndefined();
      else {
        const before = (await ask("GET", page._links.prev.href)).json;
        expect(before._embedded).toEqual(pages[at - 1]._embedded);
      }
    }
  });

  test("refuses a cursor", async () => {
    const { ask } = await startTestServer();
    expect((await ask("GET", "/cards?cursor=x")).status).toBe(400);
  });
});
