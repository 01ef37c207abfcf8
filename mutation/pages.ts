import type { Exchange, HttpHook } from "./mutation.ts";
import { parseJson } from "./mutation.ts";
import { type Json, onPath, withJson } from "./rewrite.ts";

export const LISTS = [
  ...["/subaccounts", "/cards", "/transactions", "/bank-links", "/bank-accounts"],
  ...["/bank-transactions", "/transaction-matches"],
];

/** Changes the pages of collections. `isFirst`: the request had neither cursor nor offset. */
export function changePages(
  paths: string | readonly string[],
  change: (
    json: Json,
    page: { limit: number; isFirst: boolean; query: URLSearchParams },
  ) => unknown,
): HttpHook {
  return onPath(paths, async ({ forward, query }) => {
    const response = await forward();
    if (response.status !== 200) return response;
    const limit = Number(query.get("limit") ?? 20);
    const isFirst = !query.has("cursor") && !query.has("offset");
    return await withJson(response, (json) => change(json, { limit, isFirst, query }) ?? json);
  });
}

/** Changes the query of requests for collections. */
export function changeQuery(
  paths: string | readonly string[],
  change: (query: URLSearchParams) => void,
): HttpHook {
  return onPath(paths, ({ forward, path, query }) => {
    change(query);
    return forward({ target: `${path}?${query}` });
  });
}

export function itemsOf(json: Json): Json[] {
  return Object.values<Json>(json._embedded)[0];
}

/** Requests the page of a link. */
export async function pageAt({ forward }: Exchange, href: string): Promise<Json> {
  return parseJson((await forward({ target: href })).body);
}

export function withQuery(href: string, change: (query: URLSearchParams) => void): string {
  const url = new URL(href, "http://sandbox");
  change(url.searchParams);
  return `${url.pathname}${url.search}`;
}

export const changeLink = (json: Json, name: string, change: (query: URLSearchParams) => void) => {
  const link = json._links[name];
  if (link) link.href = withQuery(link.href, change);
};

/** Requests every item of a collection, page by page. */
export async function allItems(exchange: Exchange): Promise<Json[]> {
  const items: Json[] = [];
  let href: string | undefined = `${exchange.path}?limit=100`;
  while (href) {
    const page: Json = await pageAt(exchange, href);
    items.push(...itemsOf(page));
    href = page._links.next?.href;
  }
  return items;
}
