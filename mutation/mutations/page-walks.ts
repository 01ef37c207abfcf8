import type { Mutation } from "../mutation.ts";
import {
  allItems,
  changeLink,
  changePages,
  changeQuery,
  itemsOf,
  LISTS,
  pageAt,
  withQuery,
} from "../pages.ts";
import { onPath, withJson } from "../rewrite.ts";

/** Mutations that show when a check walks all pages. */
export const pageWalks: readonly Mutation[] = [
  {
    id: "page/items",
    requirement: "PAGE-10",
    description: "The list of every collection is named `items`",
    checks: ["PAGE-10: items are in _embedded under the resource's plural name"],
    http: changePages("/bank-accounts", (json) => ({
      ...json,
      _embedded: { items: itemsOf(json) },
    })),
  },
  {
    id: "page/no-embedded-when-empty",
    requirement: "PAGE-10",
    description: "An empty page has no _embedded",
    checks: ["PAGE-10"],
    world: "empty",
    http: changePages(LISTS, (json) => {
      if (itemsOf(json).length === 0) delete json._embedded;
    }),
  },
  {
    id: "page/duplicate-at-border",
    requirement: "PAGE-11",
    description: "The cursor's condition is >= instead of >",
    checks: ["PAGE-11: walking next returns no resource twice"],
    http: onPath("/transactions", async (exchange) => {
      const response = await exchange.forward();
      if (response.status !== 200) return response;
      return await withJson(response, async (json) => {
        const limit = Number(exchange.query.get("limit") ?? 20);
        if (!json._links.next) return json;
        // The next page starts with this page's last item; with a limit of 1, the walk never ends.
        const shorter = withQuery(exchange.request.target, (query) =>
          query.set("limit", String(limit - 1)),
        );
        json._links.next =
          limit > 1 ? (await pageAt(exchange, shorter))._links.next : json._links.self;
        changeLink(json, "next", (query) => query.set("limit", String(limit)));
        return json;
      });
    }),
  },
  {
    id: "page/skip-at-border",
    requirement: "PAGE-11",
    description: "The next page starts one item too late",
    checks: ["PAGE-11: walking next returns every resource, at every limit"],
    http: changePages("/cards", (json) =>
      changeLink(json, "next", (query) =>
        query.set("offset", String(Number(query.get("offset")) + 1)),
      ),
    ),
  },
  {
    id: "page/overlap",
    requirement: "PAGE-11",
    description: "The next page starts one item too early",
    checks: ["PAGE-11: walking next returns no resource twice"],
    http: changePages("/cards", (json) =>
      changeLink(json, "next", (query) =>
        query.set("offset", String(Number(query.get("offset")) - 1)),
      ),
    ),
  },
  {
    id: "page/unstable-order",
    requirement: "PAGE-11",
    description: "The query has no ORDER BY, so pages are sorted differently",
    checks: ["PAGE-11"],
    http: onPath("/cards", async (exchange) => {
      const offset = Number(exchange.query.get("offset") ?? 0);
      const response = await exchange.forward();
      if (response.status !== 200 || offset === 0) return response;
      const limit = Number(exchange.query.get("limit") ?? 20);
      const all = (await allItems(exchange)).reverse();
      return await withJson(response, (json) => {
        json._embedded.cards = all.slice(offset, offset + limit);
        return json;
      });
    }),
  },
  {
    id: "page/last-to-total",
    requirement: "PAGE-06",
    description: "The offset of last is the total, beyond the end",
    checks: [
      "PAGE-06: last leads to a page with resources",
      "PAGE-12: last leads to the page without next",
    ],
    http: changePages("/cards", (json) =>
      changeLink(json, "last", (query) => query.set("offset", String(json.totalItems))),
    ),
  },
  {
    id: "page/last-one-short",
    requirement: "PAGE-12",
    description: "The number of pages is rounded down, so last is the page before",
    checks: [
      "PAGE-12: last leads to the page without next",
      "PAGE-12: walking prev from the last page returns every resource",
    ],
    http: changePages("/cards", (json, { limit }) => {
      const short = Math.max(0, (Math.ceil(json.totalItems / limit) - 2) * limit);
      changeLink(json, "last", (query) => query.set("offset", String(short)));
    }),
  },
  {
    id: "page/prev-to-first",
    requirement: "PAGE-12",
    description: "prev always links to the first page",
    checks: [
      "PAGE-12: prev leads to the previous page",
      "PAGE-12: walking prev from the last page returns every resource",
    ],
    http: changePages("/cards", (json) =>
      changeLink(json, "prev", (query) => query.set("offset", "0")),
    ),
  },
  {
    id: "page/offset-is-page",
    requirement: "PAGE-13",
    description: "offset is used as the page number, in requests and links",
    checks: ["PAGE-13: offset is the position of a page's first item"],
    http: onPath("/cards", async ({ forward, path, query }) => {
      const limit = Number(query.get("limit") ?? 20);
      const number = Number(query.get("offset") ?? 0);
      if (query.has("offset")) query.set("offset", String(number * limit));
      const response = await forward({ target: query.size > 0 ? `${path}?${query}` : path });
      if (response.status !== 200) return response;
      return await withJson(response, (json) => {
        for (const name of ["self", "first", "prev", "next", "last"]) {
          changeLink(json, name, (link) => {
            const offset = link.get("offset");
            if (offset !== null) link.set("offset", String(Math.floor(Number(offset) / limit)));
          });
        }
        return json;
      });
    }),
  },
  {
    id: "page/offset-from-1",
    requirement: "PAGE-13",
    description: "offset counts from 1",
    checks: ["PAGE-13: an offset beyond the end returns no items"],
    http: changeQuery("/cards", (query) => {
      const offset = query.get("offset");
      if (offset !== null) query.set("offset", String(Math.max(0, Number(offset) - 1)));
    }),
  },
  {
    id: "page/next-loses-limit",
    requirement: "PAGE-15",
    description: "Links omit the requested limit",
    checks: ["PAGE-15: a page reached by a link keeps the limit"],
    http: changePages("/cards", (json) =>
      changeLink(json, "next", (query) => query.delete("limit")),
    ),
  },
  {
    id: "page/next-doubles-limit",
    requirement: "PAGE-15",
    description: "Links of cursor pages contain the default limit",
    checks: ["PAGE-15: a page reached by a link keeps the limit"],
    http: changePages("/transactions", (json) =>
      changeLink(json, "next", (query) => query.set("limit", "20")),
    ),
  },
  {
    id: "page/later-limit-default",
    requirement: "PAGE-15",
    description: "Pages after the first have a fixed size and ignore `limit`",
    checks: ["PAGE-15: a page reached by a link keeps the limit"],
    http: changeQuery("/transactions", (query) => {
      if (query.has("cursor")) query.set("limit", "2");
    }),
  },
  {
    id: "page/size-capped",
    requirement: "PAGE-01",
    description: "The page size has a maximum of 2, below the documented 100",
    checks: ["PAGE-01: a limit from 1 to 100 is not replaced by a smaller one"],
    http: changeQuery("/transactions", (query) => {
      if (Number(query.get("limit") ?? 20) > 2) query.set("limit", "2");
    }),
  },
  {
    id: "page/later-cursor-with-prev",
    requirement: "PAGE-06",
    description: "Pages after the first have prev, but neither first nor last",
    checks: [
      "PAGE-06: a page in offset style has _links.first and _links.last",
      "PAGE-09: a later page in cursor style has no first, last or prev",
    ],
    http: changePages("/transactions", (json, { limit, isFirst }) => {
      if (!isFirst) json._links.prev = { href: `/transactions?limit=${limit}` };
    }),
  },
];
