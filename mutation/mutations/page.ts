import type { Exchange, HttpHook, HttpResponse, Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import { type Json, onPath, refused, withJson } from "../rewrite.ts";

const LISTS = [
  ...["/subaccounts", "/cards", "/transactions", "/bank-links", "/bank-accounts"],
  ...["/bank-transactions", "/transaction-matches"],
];

/** The pages of some collections, changed; `isFirst` where neither cursor nor offset was sent. */
function pages(
  paths: string | readonly string[],
  change: (
    json: Json,
    page: { limit: number; isFirst: boolean; query: URLSearchParams },
  ) => unknown,
): HttpHook {
  return onPath(paths, async ({ forward, query }) => {
    const answer = await forward();
    if (answer.status !== 200) return answer;
    const limit = Number(query.get("limit") ?? 20);
    const isFirst = !query.has("cursor") && !query.has("offset");
    return await withJson(answer, (json) => change(json, { limit, isFirst, query }) ?? json);
  });
}

/** A collection asked with another query than came. */
function asked(
  paths: string | readonly string[],
  change: (query: URLSearchParams) => void,
): HttpHook {
  return onPath(paths, ({ forward, path, query }) => {
    change(query);
    return forward({ target: `${path}?${query}` });
  });
}

function itemsOf(json: Json): Json[] {
  return Object.values<Json>(json._embedded)[0];
}

/** The page that a link leads to. */
async function pageAt({ forward }: Exchange, href: string): Promise<Json> {
  return parseJson((await forward({ target: href })).body);
}

function withQuery(href: string, change: (query: URLSearchParams) => void): string {
  const url = new URL(href, "http://sandbox");
  change(url.searchParams);
  return `${url.pathname}${url.search}`;
}

const leads = (json: Json, name: string, change: (query: URLSearchParams) => void) => {
  const link = json._links[name];
  if (link) link.href = withQuery(link.href, change);
};

/** Every item of a collection, walked by its links. */
async function everyItem(exchange: Exchange): Promise<Json[]> {
  const items: Json[] = [];
  let href: string | undefined = `${exchange.path}?limit=100`;
  while (href) {
    const page: Json = await pageAt(exchange, href);
    items.push(...itemsOf(page));
    href = page._links.next?.href;
  }
  return items;
}

export const page: readonly Mutation[] = [
  {
    id: "page/limit-ignored",
    requirement: "PAGE-01",
    description: "limit is read by another name, so each page has the usual size",
    http: asked("/transactions", (query) => query.delete("limit")),
  },
  {
    id: "page/one-more-than-limit",
    requirement: "PAGE-01",
    description: "One more is fetched to know whether there is a next page, and is left in",
    http: onPath("/bank-transactions", async (exchange) => {
      const answer = await exchange.forward();
      if (answer.status !== 200) return answer;
      return await withJson(answer, async (json) => {
        const { next } = json._links;
        if (next) {
          const more = withQuery(next.href, (query) => query.set("limit", "1"));
          itemsOf(json).push(...itemsOf(await pageAt(exchange, more)));
          // Those that come next are not given twice.
          const after = await pageAt(exchange, more);
          json._links.next = after._links.next;
          leads(json, "next", (query) => query.set("limit", exchange.query.get("limit") ?? "20"));
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
    http: onPath("/bank-accounts", ({ forward, query }) =>
      query.get("limit") === "100" ? refused(400, "Bad request") : forward(),
    ),
  },
  {
    id: "page/limit-ignored-later",
    requirement: "PAGE-01",
    description: "limit is honoured on the first page alone",
    http: asked("/cards", (query) => {
      if (Number(query.get("offset")) > 0) query.delete("limit");
    }),
  },
  {
    id: "page/limit-unbounded",
    requirement: "PAGE-02",
    description: "The limit has no upper bound",
    world: "large",
    http: onPath("/transactions", async (exchange): Promise<HttpResponse> => {
      const limit = Number(exchange.query.get("limit"));
      const answer = await exchange.forward();
      if (!(limit > 100) || answer.status !== 400) return answer;
      const headers = { "content-type": "application/json" };
      const transactions = (await everyItem(exchange)).slice(0, limit);
      const self = { href: `/transactions?limit=${limit}` };
      const body = JSON.stringify({ _links: { self }, _embedded: { transactions } });
      return { status: 200, headers, body };
    }),
  },
  {
    id: "page/offset-required",
    requirement: "PAGE-03",
    description: "The query's schema has offset as required",
    http: onPath("/cards", ({ forward, query }) =>
      query.has("offset") ? forward() : refused(400, "offset is required"),
    ),
  },
  {
    id: "page/cursor-required",
    requirement: "PAGE-03",
    description: "A cursor has to be sent, and be empty for the first page",
    http: onPath("/subaccounts", ({ forward, query }) =>
      query.has("cursor") ? forward() : refused(400, "cursor is required"),
    ),
  },
  {
    id: "page/no-self",
    requirement: "PAGE-04",
    description: "Pages link to others, and not to themselves",
    http: pages("/bank-links", (json) => {
      delete json._links.self;
    }),
  },
  {
    id: "page/no-self-later",
    requirement: "PAGE-04",
    description: "Only the first page has a self link",
    http: pages("/transactions", (json, { isFirst }) => {
      if (!isFirst) delete json._links.self;
    }),
  },
  {
    id: "page/next-null",
    requirement: "PAGE-05",
    description: "The last page's next is null instead of absent",
    http: pages("/transactions", (json) => {
      json._links.next ??= null;
    }),
  },
  {
    id: "page/next-to-nothing",
    requirement: "PAGE-05",
    description: "A full page always has a next, which may be empty",
    http: pages("/cards", (json, { limit, query }) => {
      const offset = Number(query.get("offset") ?? 0);
      if (json._links.next || itemsOf(json).length === 0) return;
      json._links.next = { href: `/cards?offset=${offset + itemsOf(json).length}&limit=${limit}` };
    }),
  },
  {
    id: "page/next-lost",
    requirement: "PAGE-05",
    description: "next is worked out from the first page's count: the second is the last",
    http: pages("/transaction-matches", (json, { isFirst }) => {
      if (!isFirst) delete json._links.next;
    }),
  },
  {
    id: "page/no-first-later",
    requirement: "PAGE-06",
    description: "first is left out where prev is there",
    http: pages("/cards", (json, { isFirst }) => {
      if (!isFirst) delete json._links.first;
    }),
  },
  {
    id: "page/no-last",
    requirement: "PAGE-06",
    description: "The last page does not link to itself",
    http: pages("/cards", (json) => {
      if (!json._links.next) delete json._links.last;
    }),
  },
  {
    id: "page/prev-on-first",
    requirement: "PAGE-07",
    description: "The first page's prev leads to itself",
    http: pages("/cards", (json) => {
      json._links.prev ??= json._links.first;
    }),
  },
  {
    id: "page/no-prev",
    requirement: "PAGE-07",
    description: "Pages lead forward alone",
    http: pages("/cards", (json) => {
      delete json._links.prev;
    }),
  },
  {
    id: "page/total-of-page",
    requirement: "PAGE-08",
    description: "totalItems counts those of the page",
    http: pages("/cards", (json) => {
      json.totalItems = itemsOf(json).length;
    }),
  },
  {
    id: "page/total-as-text",
    requirement: "PAGE-08",
    description: "A count of 64 bits is written as a string",
    http: pages("/cards", (json) => {
      json.totalItems = String(json.totalItems);
    }),
  },
  {
    id: "page/total-of-all-accounts",
    requirement: "PAGE-08",
    description: "The counting query lacks the condition on the account",
    http: onPath("/cards", async ({ forward }, { sandbox }) => {
      const answer = await forward();
      if (answer.status !== 200) return answer;
      const { counts } = await sandbox.status();
      return await withJson(answer, (json) => ({ ...json, totalItems: counts.cards }));
    }),
  },
  {
    id: "page/cursor-with-first",
    requirement: "PAGE-09",
    description: "A cursor page leads back to the first",
    http: pages("/subaccounts", (json, { limit }) => {
      json._links.first = { href: `/subaccounts?limit=${limit}` };
    }),
  },
  {
    id: "page/cursor-with-prev",
    requirement: "PAGE-09",
    description: "A cursor page leads back to the one before",
    http: pages("/subaccounts", (json, { limit, isFirst }) => {
      if (!isFirst) json._links.prev = { href: `/subaccounts?limit=${limit}` };
    }),
  },
  {
    id: "page/items",
    requirement: "PAGE-10",
    description: "Items stand under items, whatever they are",
    http: pages("/bank-accounts", (json) => ({ ...json, _embedded: { items: itemsOf(json) } })),
  },
  {
    id: "page/no-embedded-when-empty",
    requirement: "PAGE-10",
    description: "_embedded is left out of a page that holds nothing",
    world: "empty",
    http: pages(LISTS, (json) => {
      if (itemsOf(json).length === 0) delete json._embedded;
    }),
  },
  {
    id: "page/duplicate-at-border",
    requirement: "PAGE-11",
    description: "The cursor's condition is >= instead of >",
    http: onPath("/transactions", async (exchange) => {
      const answer = await exchange.forward();
      if (answer.status !== 200) return answer;
      return await withJson(answer, async (json) => {
        const limit = Number(exchange.query.get("limit") ?? 20);
        if (!json._links.next) return json;
        // The next page begins with the last item of this one; where that is all, it never ends.
        const shorter = withQuery(exchange.request.target, (query) =>
          query.set("limit", String(limit - 1)),
        );
        json._links.next =
          limit > 1 ? (await pageAt(exchange, shorter))._links.next : json._links.self;
        leads(json, "next", (query) => query.set("limit", String(limit)));
        return json;
      });
    }),
  },
  {
    id: "page/skip-at-border",
    requirement: "PAGE-11",
    description: "The next page begins one too late",
    http: pages("/cards", (json) =>
      leads(json, "next", (query) => query.set("offset", String(Number(query.get("offset")) + 1))),
    ),
  },
  {
    id: "page/overlap",
    requirement: "PAGE-11",
    description: "The next page begins one too early",
    http: pages("/cards", (json) =>
      leads(json, "next", (query) => query.set("offset", String(Number(query.get("offset")) - 1))),
    ),
  },
  {
    id: "page/unstable-order",
    requirement: "PAGE-11",
    description: "The query has no ORDER BY: each page sorts as it likes",
    http: onPath("/cards", async (exchange) => {
      const offset = Number(exchange.query.get("offset") ?? 0);
      const answer = await exchange.forward();
      if (answer.status !== 200 || offset === 0) return answer;
      const limit = Number(exchange.query.get("limit") ?? 20);
      const all = (await everyItem(exchange)).reverse();
      return await withJson(answer, (json) => {
        json._embedded.cards = all.slice(offset, offset + limit);
        return json;
      });
    }),
  },
  {
    id: "page/last-to-total",
    requirement: "PAGE-12",
    description: "last leads behind the end: its offset is the total",
    http: pages("/cards", (json) =>
      leads(json, "last", (query) => query.set("offset", String(json.totalItems))),
    ),
  },
  {
    id: "page/last-one-short",
    requirement: "PAGE-12",
    description: "last is the page before the last: pages are counted rounded down",
    http: pages("/cards", (json, { limit }) => {
      const short = Math.max(0, (Math.ceil(json.totalItems / limit) - 2) * limit);
      leads(json, "last", (query) => query.set("offset", String(short)));
    }),
  },
  {
    id: "page/prev-to-first",
    requirement: "PAGE-12",
    description: "prev always leads to the first page",
    http: pages("/cards", (json) => leads(json, "prev", (query) => query.set("offset", "0"))),
  },
  {
    id: "page/offset-is-page",
    requirement: "PAGE-13",
    description: "offset is taken for the page's number, by client and server alike",
    http: onPath("/cards", async ({ forward, path, query }) => {
      const limit = Number(query.get("limit") ?? 20);
      const number = Number(query.get("offset") ?? 0);
      if (query.has("offset")) query.set("offset", String(number * limit));
      const answer = await forward({ target: query.size > 0 ? `${path}?${query}` : path });
      if (answer.status !== 200) return answer;
      return await withJson(answer, (json) => {
        for (const name of ["self", "first", "prev", "next", "last"]) {
          leads(json, name, (link) => {
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
    http: asked("/cards", (query) => {
      const offset = query.get("offset");
      if (offset !== null) query.set("offset", String(Math.max(0, Number(offset) - 1)));
    }),
  },
  {
    id: "page/next-loses-limit",
    requirement: "PAGE-15",
    description: "Links are built without the limit that was asked for",
    http: pages("/cards", (json) => leads(json, "next", (query) => query.delete("limit"))),
  },
  {
    id: "page/next-doubles-limit",
    requirement: "PAGE-15",
    description: "Links of cursor pages have the default limit written in",
    http: pages("/transactions", (json) =>
      leads(json, "next", (query) => query.set("limit", "20")),
    ),
  },
];
