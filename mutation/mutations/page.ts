import * as is from "../bugs.ts";
import { bug, field } from "../bugs.ts";
import type { Exchange, HttpResponse, Mutation } from "../mutation.ts";
import {
  allItems,
  changeHref,
  LISTS,
  limitOf,
  link,
  on,
  pageAt,
  problem,
  query,
  status,
  withQuery,
} from "../requests.ts";
import { itemsOf, type Json, response, type When, type Where, withJson } from "../rewrite.ts";

const cards = response("/cards");
const transactions = response("/transactions");
const subaccounts = response("/subaccounts");
const accounts = response("/bank-accounts");
const matches = response("/transaction-matches");

/** Whether a page is not the first one. */
const isLater: When = (_, { query: own }) => own?.has("cursor") || own?.has("offset");

const laterCards = cards.when(isLater, "later pages of GET /cards");
const laterTransactions = transactions.when(isLater, "later pages of GET /transactions");

const isEmpty: When = (json) => itemsOf(json).length === 0;
const offsetOf = ({ query: own }: Pick<Where, "query">) => Number(own?.get("offset") ?? 0);

/** Moves the next page. */
const shifted = (by: number) =>
  cards.change(link("next", (own) => own.set("offset", String(Number(own.get("offset")) + by))));

/** Responds with one page to a limit over 100, which the sandbox refuses. */
const unlimited = (path: string, name: string) =>
  on(`GET ${path}`, async (exchange) => {
    const limit = Number(exchange.query.get("limit"));
    const refusal = await exchange.forward();
    if (!(limit > 100) || refusal.status !== 400) return refusal;
    const items = (await allItems(exchange)).slice(0, limit);
    const self = { href: `${path}?limit=${limit}` };
    const body = JSON.stringify({ _links: { self }, _embedded: { [name]: items } });
    return { status: 200, headers: { "content-type": "application/json" }, body };
  });

/** Changes a page with a next link, for which other pages may be requested. */
const beforeNext = (
  path: string,
  change: (json: Json, exchange: Exchange, limit: number) => Promise<void>,
) =>
  on(`GET ${path}`, async (exchange) => {
    const answer = await exchange.forward();
    if (answer.status !== 200) return answer;
    return await withJson(answer, async (json) => {
      if (json._links.next) await change(json, exchange, limitOf(exchange));
      return json;
    });
  });

/** Adds the first item of the next page. */
async function addNext(json: Json, exchange: Exchange): Promise<string> {
  const more = changeHref(json._links.next.href, (own) => own.set("limit", "1"));
  itemsOf(json).push(...itemsOf(await pageAt(exchange, more)));
  return more;
}

/** Handles requests with a cursor that is older than the last change of the list. */
const onOldCursor = (path: string, respond: (exchange: Exchange) => Promise<HttpResponse>) =>
  on(`GET ${path}`, async (exchange, { memory }) => {
    const answer = await exchange.forward();
    if (answer.status !== 200) return answer;
    const count = (await allItems(exchange)).length;
    const cursor = exchange.query.get("cursor");
    if (cursor !== null && memory.get(cursor) !== count) return await respond(exchange);
    const { next } = JSON.parse(answer.body)._links;
    if (next) memory.set(new URL(next.href, "http://sandbox").searchParams.get("cursor"), count);
    return answer;
  });

/** Mutations of limits, links and totals of pages, and of walks. */
export const page: readonly Mutation[] = [
  bug("page/limit-ignored", "PAGE-01.at-most")
    .is("limit is read under the wrong name, so pages have the default size")
    .by(query("/transactions", (own) => own.delete("limit"))),
  bug("page/one-more-than-limit", "PAGE-01.at-most").is(
    "The extra item fetched to detect a next page is not removed",
    beforeNext("/bank-transactions", async (json, exchange, limit) => {
      const more = await addNext(json, exchange);
      // Do not repeat the extra item on the next page.
      const { next } = (await pageAt(exchange, more))._links;
      if (next) next.href = changeHref(next.href, (own) => own.set("limit", String(limit)));
      json._links.next = next;
    }),
  ),
  bug("page/limit-100-refused", "PAGE-01.accepted")
    .is("The upper bound of limit is exclusive")
    .by(status("GET /bank-accounts", 400, (_, exchange) => exchange.query.get("limit") === "100")),
  bug("page/limit-ignored-later", "PAGE-01.at-most")
    .is("limit is applied to the first page only")
    .by(query("/cards", (own) => Number(own.get("offset")) > 0 && own.delete("limit"))),
  bug("page/limit-unbounded", "PAGE-02.not-honoured").is("limit has no upper bound", {
    ...unlimited("/transactions", "transactions"),
    world: "large",
  }),
  bug("page/offset-required", "PAGE-03.no-position")
    .is("The query schema requires offset")
    .by(status("GET /cards", 400, (_, exchange) => !exchange.query.has("offset"))),
  bug("page/cursor-required", "PAGE-03.no-position")
    .is("cursor is required, even for the first page")
    .by(status("GET /subaccounts", 400, (_, exchange) => !exchange.query.has("cursor"))),
  field("page/no-self", "PAGE-04.self", response("/bank-links"), "/_links/self", is.omitted),
  field("page/no-self-later", "PAGE-04.self", laterTransactions, "/_links/self", is.omitted),
  field("page/next-null", "PAGE-05.absent", transactions, "/_links/next", is.filled(null)),
  bug("page/next-to-nothing", "PAGE-05.absent")
    .is("A full last page has a next link to an empty page")
    .by(cards, (json, where) => {
      const offset = Number(where.query?.get("offset") ?? 0) + itemsOf(json).length;
      if (json._links.next || itemsOf(json).length === 0) return;
      json._links.next = { href: `/cards?offset=${offset}&limit=${limitOf(where)}` };
    }),
  bug("page/next-lost", "PAGE-05.present")
    .is("Only the first page has a next link")
    .by(matches.when(isLater).drop("/_links/next")),
  field("page/no-first-later", "PAGE-06.first", laterCards, "/_links/first", is.omitted),
  bug("page/no-last", "PAGE-06.last")
    .is("last is missing on the last page")
    .by(cards.when(({ _links }) => !_links.next).drop("/_links/last")),
  bug("page/prev-on-first", "PAGE-07.absent")
    .is("prev of the first page links to itself")
    .by(cards.fill("/_links/prev", (_, { _links }) => _links.first)),
  bug("page/no-prev", "PAGE-07.present").is("Pages have no prev link", cards.drop("/_links/prev")),
  bug("page/total-of-page", "PAGE-08.counts")
    .is("totalItems counts the items of the page")
    .by(cards.set("/totalItems", (_, json) => itemsOf(json).length)),
  field("page/total-as-text", "PAGE-08.present", cards, "/totalItems", is.text),
  bug("page/total-of-all-accounts", "PAGE-08.counts")
    .is("The count query does not filter by account")
    .by(cards, async (json, { sandbox }) => {
      json.totalItems = (await sandbox.status()).counts.cards;
    }),
  bug("page/cursor-with-first", "PAGE-09.none")
    .is("Cursor pages have a first link")
    .by(subaccounts, (json, where) => {
      json._links.first = { href: `/subaccounts?limit=${limitOf(where)}` };
    }),
  bug("page/cursor-with-prev", "PAGE-09.none")
    .is("Cursor pages have a prev link")
    .by(subaccounts.when(isLater), (json, where) => {
      json._links.prev = { href: `/subaccounts?limit=${limitOf(where)}` };
    }),
  bug("page/wrong-limit-500", "PAGE-02.not-honoured")
    .is("limit is not validated, so an invalid one makes the query throw")
    .by("GET /transactions", ({ forward, query: own }) => {
      const limit = own.get("limit");
      const isLimit = limit === null || (/^\d+$/.test(limit) && +limit >= 1 && +limit <= 100);
      return isLimit ? forward() : problem(500);
    }),
  bug("page/self-of-another-list", "PAGE-04.this-collection")
    .is("self is copied from another collection's handler")
    .by(accounts.set("/_links/self/href", "/bank-links?limit=100")),
  bug("page/next-to-first", "PAGE-05.present").is(
    "next has no cursor, so it links to the first page",
    response("/bank-links").set("/_links/next/href", (_, _json, { query: own }) => {
      return `/bank-links?limit=${own?.get("limit")}&again=1`;
    }),
  ),
  bug("page/first-to-last", "PAGE-06.first")
    .is("first and last are built from the same variable")
    .by(cards.set("/_links/first/href", (_, { _links }) => _links.last.href)),
  field("page/items", "PAGE-10.key", accounts, "/_embedded/bankAccounts", is.named("items")),
  bug("page/no-embedded-when-empty", "PAGE-10.key").is("An empty page has no _embedded", {
    http: response(...LISTS)
      .when((json) => itemsOf(json).length === 0)
      .drop("/_embedded").http,
    world: "empty",
  }),
  bug("page/duplicate-at-border", "PAGE-11.once").is(
    "The cursor's condition is >= instead of >",
    beforeNext("/transactions", async (json, exchange, limit) => {
      // The next page starts with this page's last item; with a limit of 1, the walk never ends.
      const shorter = changeHref(exchange.request.target, (own) =>
        own.set("limit", String(limit - 1)),
      );
      json._links.next =
        limit > 1 ? (await pageAt(exchange, shorter))._links.next : json._links.self;
      const { next } = json._links;
      next.href = changeHref(next.href, (own) => own.set("limit", String(limit)));
    }),
  ),
  bug("page/skip-at-border", "PAGE-11.every")
    .is("The next page starts one item too late")
    .by(shifted(1)),
  bug("page/overlap", "PAGE-11.once").is("The next page starts one item too early").by(shifted(-1)),
  bug("page/unstable-order", "PAGE-11.once", "PAGE-11.every")
    .is("The query has no ORDER BY, so pages are sorted differently")
    .by("GET /cards", async (exchange) => {
      const offset = Number(exchange.query.get("offset") ?? 0);
      const answer = await exchange.forward();
      if (answer.status !== 200 || offset === 0) return answer;
      const all = (await allItems(exchange)).reverse();
      return await withJson(answer, (json) => {
        json._embedded.cards = all.slice(offset, offset + limitOf(exchange));
        return json;
      });
    }),
  bug("page/last-to-total", "PAGE-06.last")
    .is("The offset of last is the total, beyond the end")
    .by(
      cards,
      link("last", (own, json) => own.set("offset", String(json.totalItems))),
    ),
  bug("page/last-one-short", "PAGE-12.last").is(
    "The number of pages is rounded down, so last is the page before",
    cards.change(
      link("last", (own, { totalItems }, where) => {
        const pages = Math.ceil(totalItems / limitOf(where));
        own.set("offset", String(Math.max(0, (pages - 2) * limitOf(where))));
      }),
    ),
  ),
  bug("page/prev-to-first", "PAGE-12.prev")
    .is("prev always links to the first page")
    .by(
      cards,
      link("prev", (own) => own.set("offset", "0")),
    ),
  bug("page/offset-is-page", "PAGE-13.position")
    .is("offset is used as the page number, in requests and links")
    .by("GET /cards", async ({ forward, path, query: own }) => {
      const limit = limitOf({ query: own });
      const number = Number(own.get("offset") ?? 0);
      if (own.has("offset")) own.set("offset", String(number * limit));
      const answer = await forward({ target: withQuery(path, own) });
      if (answer.status !== 200) return answer;
      return await withJson(answer, (json) => {
        for (const one of Object.values<Json>(json._links)) {
          one.href = changeHref(one.href, (parameters) => {
            const offset = parameters.get("offset");
            const inPages = String(Math.floor(Number(offset) / limit));
            if (offset !== null) parameters.set("offset", inPages);
          });
        }
        return json;
      });
    }),
  bug("page/offset-from-1", "PAGE-13.beyond").is(
    "offset counts from 1",
    query("/cards", (own) => {
      const offset = own.get("offset");
      if (offset !== null) own.set("offset", String(Math.max(0, Number(offset) - 1)));
    }),
  ),
  bug("page/next-loses-limit", "PAGE-15.others")
    .is("Links omit the requested limit")
    .by(
      cards,
      link("next", (own) => own.delete("limit")),
    ),
  bug("page/next-doubles-limit", "PAGE-15.next")
    .is("Links of cursor pages contain the default limit")
    .by(
      transactions,
      link("next", (own) => own.set("limit", "20")),
    ),
  bug("page/later-limit-default", "PAGE-15.next")
    .is("Pages after the first have a fixed size and ignore `limit`")
    .by(query("/transactions", (own) => own.has("cursor") && own.set("limit", "2"))),
  bug("page/size-capped", "PAGE-01.honoured")
    .is("The page size has a maximum of 2, below the documented 100")
    .by(query("/transactions", (own) => limitOf({ query: own }) > 2 && own.set("limit", "2"))),
  bug("page/later-cursor-with-prev", "PAGE-06.first", "PAGE-06.last")
    .is("Pages after the first have prev, but neither first nor last")
    .by(transactions.when(isLater), (json, where) => {
      json._links.prev = { href: `/transactions?limit=${limitOf(where)}` };
    }),
  bug("page/old-cursor-refused", "PAGE-11.every")
    .is("A cursor is invalid after the list has changed")
    .by(onOldCursor("/bank-accounts", async () => problem(400))),
  bug("page/old-cursor-restarts", "PAGE-11.every").is(
    "A cursor leads to the first page after the list has changed",
    onOldCursor("/bank-accounts", ({ forward, path, query: own }) =>
      forward({ target: `${path}?limit=${own.get("limit")}` }),
    ),
  ),
  bug("page/last-beyond-the-end", "PAGE-06.last").is(
    "last counts one page too many if the last page is full",
    cards
      .when(({ totalItems }, where) => totalItems % limitOf(where) === 0)
      .change(link("last", (own, { totalItems }) => own.set("offset", `${totalItems}`))),
  ),
  bug("page/total-in-link", "PAGE-08.counts")
    .is("The next link has the total, so that later pages do not count again")
    .by("GET /cards", async ({ forward, path, query: own }) => {
      const total = own.get("total");
      own.delete("total");
      const answer = await forward({ target: withQuery(path, own) });
      if (answer.status !== 200) return answer;
      return await withJson(answer, (json) => {
        if (total !== null) json.totalItems = Number(total);
        const { next } = json._links;
        if (next) next.href = changeHref(next.href, (q) => q.set("total", `${json.totalItems}`));
        return json;
      });
    }),
  bug("page/limit-101", "PAGE-02.not-honoured")
    .is("The upper bound of limit is not checked for one list")
    .by(unlimited("/bank-accounts", "bankAccounts")),
  bug("page/one-more-than-100", "PAGE-01.at-most").is(
    "The extra item fetched to detect a next page is not removed at limit 100",
    beforeNext("/bank-accounts", async (json, exchange, limit) => {
      if (limit === 100) await addNext(json, exchange);
    }),
  ),
  bug("page/next-rounded-up", "PAGE-05.present").is(
    "next is computed from the number of the page, rounded up",
    cards.change(
      link("next", (own, _, where) =>
        own.set("offset", `${(Math.ceil(offsetOf(where) / limitOf(where)) + 1) * limitOf(where)}`),
      ),
    ),
  ),
  bug("page/next-behind-the-end", "PAGE-05.absent")
    .is("next is left out only if a page is not full, but has items")
    .by(cards.when(isEmpty), (json, where) => {
      json._links.next = { href: `/cards?offset=${offsetOf(where) + 1}&limit=${limitOf(where)}` };
    }),
  bug("page/no-prev-below-limit", "PAGE-07.present")
    .is("prev is left out if the offset is smaller than the limit")
    .by(cards.when((_, where) => offsetOf(where) < limitOf(where)).drop("/_links/prev")),
  bug("page/total-of-no-rows", "PAGE-08.counts")
    .is("The total is a column of the page's rows, so a page without rows has none")
    .by(cards.when(isEmpty).set("/totalItems", 0)),
  bug("page/offset-of-32-bits", "PAGE-13.beyond").is(
    "offset is an integer of 32 bits, so a larger one starts at the beginning again",
    query("/cards", (own) => {
      if (own.has("offset")) own.set("offset", String(Math.max(0, Number(own.get("offset")) | 0)));
    }),
  ),
  bug("page/limit-0-later", "PAGE-02.not-honoured")
    .is("limit is validated only on the first page")
    .by("GET /transactions", async ({ forward, path, query: own }) => {
      if (!own.has("cursor") || own.get("limit") !== "0") return forward();
      own.set("limit", "1");
      const answer = await forward({ target: withQuery(path, own) });
      return await withJson(answer, (json) => ({ ...json, _embedded: { transactions: [] } }));
    }),
];
