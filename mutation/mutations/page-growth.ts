import type { Exchange, HttpResponse, Mutation, MutationRun } from "../mutation.ts";
import { allItems, changeLink, changePages, itemsOf, pageAt, withQuery } from "../pages.ts";
import { mutationState, onPath, problemResponse, withJson } from "../rewrite.ts";

/** Handles requests with a cursor that is older than the last change of the list. */
function onOldCursor(path: string, respond: (exchange: Exchange) => Promise<HttpResponse>) {
  return onPath(path, async (exchange, run: MutationRun) => {
    const counts = mutationState(run, "counts", () => new Map<string, number>());
    const response = await exchange.forward();
    if (response.status !== 200) return response;
    const count = (await allItems(exchange)).length;
    const cursor = exchange.query.get("cursor");
    if (cursor !== null && counts.get(cursor) !== count) return await respond(exchange);
    return await withJson(response, (json) => {
      const { searchParams } = new URL(json._links.next?.href ?? "/", "http://sandbox");
      const next = searchParams.get("cursor");
      if (next !== null) counts.set(next, count);
      return json;
    });
  });
}

/** Mutations that show if a list grows during a walk, or has more than 100 resources. */
export const pageGrowth: readonly Mutation[] = [
  {
    id: "page/old-cursor-refused",
    requirement: "PAGE-11",
    description: "A cursor is invalid after the list has changed",
    checks: ["PAGE-11: a walk of a growing list reaches every older resource"],
    http: onOldCursor("/bank-accounts", async () => problemResponse(400, "Stale cursor")),
  },
  {
    id: "page/old-cursor-restarts",
    requirement: "PAGE-11",
    description: "A cursor leads to the first page after the list has changed",
    checks: ["PAGE-11: a walk of a growing list reaches every older resource"],
    http: onOldCursor("/bank-accounts", ({ forward, path, query }) =>
      forward({ target: `${path}?limit=${query.get("limit")}` }),
    ),
  },
  {
    id: "page/last-beyond-the-end",
    requirement: "PAGE-06",
    description: "last counts one page too many if the last page is full",
    checks: ["PAGE-06: last leads to a page with resources"],
    http: changePages("/cards", (json, { limit }) => {
      const { totalItems: total } = json;
      if (total % limit === 0) changeLink(json, "last", (link) => link.set("offset", `${total}`));
    }),
  },
  {
    id: "page/total-in-link",
    requirement: "PAGE-08",
    description: "The next link has the total, so that later pages do not count again",
    checks: ["PAGE-08: totalItems counts resources that were added during a walk"],
    http: onPath("/cards", async ({ forward, path, query }) => {
      const total = query.get("total");
      query.delete("total");
      const response = await forward({ target: query.size > 0 ? `${path}?${query}` : path });
      if (response.status !== 200) return response;
      return await withJson(response, (json) => {
        if (total !== null) json.totalItems = Number(total);
        changeLink(json, "next", (link) => link.set("total", `${json.totalItems}`));
        return json;
      });
    }),
  },
  {
    id: "page/limit-101",
    requirement: "PAGE-02",
    description: "The upper bound of limit is not checked for one list",
    checks: ["PAGE-02: a limit over 100 is not honoured in a list of over 100"],
    http: onPath("/bank-accounts", async (exchange): Promise<HttpResponse> => {
      const limit = Number(exchange.query.get("limit"));
      const response = await exchange.forward();
      if (!(limit > 100) || response.status !== 400) return response;
      const headers = { "content-type": "application/json" };
      const bankAccounts = (await allItems(exchange)).slice(0, limit);
      const self = { href: `/bank-accounts?limit=${limit}` };
      const body = JSON.stringify({ _links: { self }, _embedded: { bankAccounts } });
      return { status: 200, headers, body };
    }),
  },
  {
    id: "page/one-more-than-100",
    requirement: "PAGE-01",
    description: "The extra item fetched to detect a next page is not removed at limit 100",
    checks: ["PAGE-01: a page of a list of over 100 resources has at most 100"],
    http: onPath("/bank-accounts", async (exchange) => {
      const response = await exchange.forward();
      if (response.status !== 200 || exchange.query.get("limit") !== "100") return response;
      return await withJson(response, async (json) => {
        const { next } = json._links;
        if (!next) return json;
        const more = withQuery(next.href, (query) => query.set("limit", "1"));
        itemsOf(json).push(...itemsOf(await pageAt(exchange, more)));
        return json;
      });
    }),
  },
];
