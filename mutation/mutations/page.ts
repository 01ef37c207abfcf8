import type { HttpResponse, Mutation } from "../mutation.ts";
import {
  allItems,
  changeLink,
  changePages,
  changeQuery,
  itemsOf,
  pageAt,
  withQuery,
} from "../pages.ts";
import { onPath, problemResponse, withJson } from "../rewrite.ts";

/** Mutations of limits, links and totals of pages. */
export const page: readonly Mutation[] = [
  {
    id: "page/limit-ignored",
    requirement: "PAGE-01",
    description: "limit is read under the wrong name, so pages have the default size",
    checks: ["PAGE-01: a page never has more items than its limit"],
    http: changeQuery("/transactions", (query) => query.delete("limit")),
  },
  {
    id: "page/one-more-than-limit",
    requirement: "PAGE-01",
    description: "The extra item fetched to detect a next page is not removed",
    checks: ["PAGE-01: a page never has more items than its limit"],
    http: onPath("/bank-transactions", async (exchange) => {
      const response = await exchange.forward();
      if (response.status !== 200) return response;
      return await withJson(response, async (json) => {
        const { next } = json._links;
        if (next) {
          const more = withQuery(next.href, (query) => query.set("limit", "1"));
          itemsOf(json).push(...itemsOf(await pageAt(exchange, more)));
          // Do not repeat the extra item on the next page.
          const after = await pageAt(exchange, more);
          json._links.next = after._links.next;
          changeLink(json, "next", (query) =>
            query.set("limit", exchange.query.get("limit") ?? "20"),
          );
          if (!after._links.next) delete json._links.next;
        }
        return json;
      });
    }),
  },
  {
    id: "page/limit-100-refused",
    requirement: "PAGE-01",
    description: "The upper bound of limit is exclusive",
    checks: ["PAGE-01: every limit from 1 to 100 is accepted"],
    http: onPath("/bank-accounts", ({ forward, query }) =>
      query.get("limit") === "100" ? problemResponse(400, "Bad request") : forward(),
    ),
  },
  {
    id: "page/limit-ignored-later",
    requirement: "PAGE-01",
    description: "limit is applied to the first page only",
    checks: ["PAGE-01: a page never has more items than its limit"],
    http: changeQuery("/cards", (query) => {
      if (Number(query.get("offset")) > 0) query.delete("limit");
    }),
  },
  {
    id: "page/limit-unbounded",
    requirement: "PAGE-02",
    description: "limit has no upper bound",
    checks: [
      "PAGE-02: the invalid limit '101' is not honoured",
      "PAGE-02: the invalid limit '1000000' is not honoured",
      "PAGE-02: the invalid limit '99999999999999999999' is not honoured",
    ],
    world: "large",
    http: onPath("/transactions", async (exchange): Promise<HttpResponse> => {
      const limit = Number(exchange.query.get("limit"));
      const response = await exchange.forward();
      if (!(limit > 100) || response.status !== 400) return response;
      const headers = { "content-type": "application/json" };
      const transactions = (await allItems(exchange)).slice(0, limit);
      const self = { href: `/transactions?limit=${limit}` };
      const body = JSON.stringify({ _links: { self }, _embedded: { transactions } });
      return { status: 200, headers, body };
    }),
  },
  {
    id: "page/offset-required",
    requirement: "PAGE-03",
    description: "The query schema requires offset",
    checks: ["PAGE-03: a first request without cursor and offset returns 200"],
    http: onPath("/cards", ({ forward, query }) =>
      query.has("offset") ? forward() : problemResponse(400, "offset is required"),
    ),
  },
  {
    id: "page/cursor-required",
    requirement: "PAGE-03",
    description: "cursor is required, even for the first page",
    checks: ["PAGE-03"],
    http: onPath("/subaccounts", ({ forward, query }) =>
      query.has("cursor") ? forward() : problemResponse(400, "cursor is required"),
    ),
  },
  {
    id: "page/no-self",
    requirement: "PAGE-04",
    description: "Pages have no self link",
    checks: ["PAGE-04: _links.self is always present"],
    http: changePages("/bank-links", (json) => {
      delete json._links.self;
    }),
  },
  {
    id: "page/no-self-later",
    requirement: "PAGE-04",
    description: "Only the first page has a self link",
    checks: ["PAGE-04: _links.self is always present"],
    http: changePages("/transactions", (json, { isFirst }) => {
      if (!isFirst) delete json._links.self;
    }),
  },
  {
    id: "page/next-null",
    requirement: "PAGE-05",
    description: "The last page's next is null instead of absent",
    // The schema decides it, so it needs no separate check.
    checks: ["PAGE-05: every body"],
    http: changePages("/transactions", (json) => {
      json._links.next ??= null;
    }),
  },
  {
    id: "page/next-to-nothing",
    requirement: "PAGE-05",
    description: "A full last page has a next link to an empty page",
    checks: ["PAGE-05: the last page has no next link"],
    http: changePages("/cards", (json, { limit, query }) => {
      const offset = Number(query.get("offset") ?? 0);
      if (json._links.next || itemsOf(json).length === 0) return;
      json._links.next = { href: `/cards?offset=${offset + itemsOf(json).length}&limit=${limit}` };
    }),
  },
  {
    id: "page/next-lost",
    requirement: "PAGE-05",
    description: "Only the first page has a next link",
    checks: [
      "PAGE-05: a page has a next link while there are more resources",
      "PAGE-11: walking next returns every resource, at every limit",
    ],
    http: changePages("/transaction-matches", (json, { isFirst }) => {
      if (!isFirst) delete json._links.next;
    }),
  },
  {
    id: "page/no-first-later",
    requirement: "PAGE-06",
    description: "first is missing on pages that have prev",
    checks: ["PAGE-06: a page in offset style has _links.first and _links.last"],
    http: changePages("/cards", (json, { isFirst }) => {
      if (!isFirst) delete json._links.first;
    }),
  },
  {
    id: "page/no-last",
    requirement: "PAGE-06",
    description: "last is missing on the last page",
    checks: ["PAGE-06: a page in offset style has _links.first and _links.last"],
    http: changePages("/cards", (json) => {
      if (!json._links.next) delete json._links.last;
    }),
  },
  {
    id: "page/prev-on-first",
    requirement: "PAGE-07",
    description: "prev of the first page links to itself",
    checks: [
      "PAGE-07: the first page in offset style has no prev",
      "PAGE-07: the page at offset 0 has no prev",
    ],
    http: changePages("/cards", (json) => {
      json._links.prev ??= json._links.first;
    }),
  },
  {
    id: "page/no-prev",
    requirement: "PAGE-07",
    description: "Pages have no prev link",
    checks: ["PAGE-07: a later page in offset style has prev"],
    http: changePages("/cards", (json) => {
      delete json._links.prev;
    }),
  },
  {
    id: "page/total-of-page",
    requirement: "PAGE-08",
    description: "totalItems counts the items of the page",
    checks: [
      "PAGE-08: totalItems of every page is the number of all resources",
      "PAGE-12: walking next returns as many resources as totalItems",
    ],
    http: changePages("/cards", (json) => {
      json.totalItems = itemsOf(json).length;
    }),
  },
  {
    id: "page/total-as-text",
    requirement: "PAGE-08",
    description: "totalItems is a 64-bit count, serialized as a string",
    checks: ["PAGE-08: a page in offset style has totalItems"],
    http: changePages("/cards", (json) => {
      json.totalItems = String(json.totalItems);
    }),
  },
  {
    id: "page/total-of-all-accounts",
    requirement: "PAGE-08",
    description: "The count query does not filter by account",
    checks: ["PAGE-08: totalItems of every page is the number of all resources"],
    http: onPath("/cards", async ({ forward }, { sandbox }) => {
      const response = await forward();
      if (response.status !== 200) return response;
      const { counts } = await sandbox.status();
      return await withJson(response, (json) => ({ ...json, totalItems: counts.cards }));
    }),
  },
  {
    id: "page/cursor-with-first",
    requirement: "PAGE-09",
    description: "Cursor pages have a first link",
    checks: ["PAGE-09: a page in cursor style has no first, last or prev"],
    http: changePages("/subaccounts", (json, { limit }) => {
      json._links.first = { href: `/subaccounts?limit=${limit}` };
    }),
  },
  {
    id: "page/cursor-with-prev",
    requirement: "PAGE-09",
    description: "Cursor pages have a prev link",
    checks: ["PAGE-09"],
    http: changePages("/subaccounts", (json, { limit, isFirst }) => {
      if (!isFirst) json._links.prev = { href: `/subaccounts?limit=${limit}` };
    }),
  },
  {
    id: "page/wrong-limit-500",
    requirement: "PAGE-02",
    description: "limit is not validated, so an invalid one makes the query throw",
    checks: [
      "101",
      "1000000",
      "99999999999999999999",
      "0",
      "-1",
      "1.5",
      "1e2",
      "ten",
      "NaN",
      "",
    ].map((limit) => `PAGE-02: the invalid limit '${limit}' is not honoured`),
    http: onPath("/transactions", ({ forward, query }) => {
      const limit = query.get("limit");
      const isLimit = limit === null || (/^\d+$/.test(limit) && +limit >= 1 && +limit <= 100);
      return isLimit ? forward() : Promise.resolve(problemResponse(500, "Internal server error"));
    }),
  },
  {
    id: "page/self-of-another-list",
    requirement: "PAGE-04",
    description: "self is copied from another collection's handler",
    checks: ["PAGE-04: self leads to the page's own collection"],
    http: changePages("/bank-accounts", (json) => {
      json._links.self.href = "/bank-links?limit=100";
    }),
  },
  {
    id: "page/next-to-first",
    requirement: "PAGE-05",
    description: "next has no cursor, so it links to the first page",
    checks: [
      "PAGE-05: next leads to a page with more resources",
      "PAGE-11: walking next returns no resource twice",
    ],
    http: changePages("/bank-links", (json, { query }) => {
      const limit = query.get("limit");
      if (json._links.next) json._links.next.href = `/bank-links?limit=${limit}&again=1`;
    }),
  },
  {
    id: "page/first-to-last",
    requirement: "PAGE-06",
    description: "first and last are built from the same variable",
    checks: ["PAGE-06: first leads to the first page"],
    http: changePages("/cards", (json) => {
      json._links.first.href = json._links.last.href;
    }),
  },
];
