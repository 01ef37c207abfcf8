import type { Situation } from "../../generated/requirements.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { CollectionOperation } from "./operations.ts";
import type { Page, Walk } from "./walk.ts";

export type PageLink = "self" | "next" | "first" | "last" | "prev";

/** The links that belong to offset style only (PAGE-09). */
export const OFFSET_LINKS = ["first", "last", "prev"] as const;

/** Whether a response is a 200 with JSON. Its content may be invalid. */
export function isPage({ exchange: { response } }: Page): boolean {
  return response?.status === 200 && response.json !== undefined;
}

/**
 * Whether the items of a page are in their specified place (PAGE-10). Otherwise the page's content
 * is unknown.
 */
export function hasItems({ exchange: { response }, items }: Page): boolean {
  const embedded = Object.values(memberOf(response?.json, "_embedded") ?? {});
  return embedded.some((value) => Array.isArray(value) && value.length === items.length);
}

/** Whether a response depends on the request. Auth failures, rate limits and outages do not. */
export function isConclusive({ exchange: { response } }: Page): boolean {
  return response !== undefined && ![401, 429, 503].includes(response.status);
}

/** The `href` of a page's link; undefined if there is none. */
export function hrefOf({ exchange }: Page, name: PageLink): string | undefined {
  const href = valueAt(exchange.response?.json, ["_links", name, "href"]);
  return typeof href === "string" ? href : undefined;
}

export function totalOf({ exchange }: Page): unknown {
  return memberOf(exchange.response?.json, "totalItems");
}

/**
 * Whether a page is in offset style. The interface does not show the style of most collections; it
 * is inferred from the page's members.
 */
export function isOffset(operation: CollectionOperation, page: Page): boolean {
  if (operation === "GET /cards") return true;
  if (operation === "GET /subaccounts") return false;
  return (
    totalOf(page) !== undefined || OFFSET_LINKS.some((name) => hrefOf(page, name) !== undefined)
  );
}

/** The style of a list, which the first page of a walk shows. */
export function styleOf({ operation, pages: [first] }: Walk): "cursor-style" | "offset-style" {
  return first && isOffset(operation, first) ? "offset-style" : "cursor-style";
}

/** The position of a page in its walk. */
export function placeOf({ pages, end }: Walk, page: Page): Situation {
  const at = pages.indexOf(page);
  const isLast = at === pages.length - 1 && end.kind === "last";
  if (at === 0) return isLast ? "only-page" : "first-page";
  return isLast ? "last-page" : "middle-page";
}

/** The situation of a limit, if claims name it. */
export function situationOfLimit(limit: number | undefined): Situation[] {
  const named: readonly Situation[] = ["limit-1", "limit-2", "limit-100"];
  return named.filter((one) => one === `limit-${limit}`);
}

/** The key of each item: its id, or else its whole content. */
export function keysOf({ items }: Page): string[] {
  return items.map((item) => {
    const id = memberOf(item, "id");
    return typeof id === "string" ? id : JSON.stringify(item);
  });
}

/** The limit in a URL; undefined if it has none. */
export function limitIn(address: string): number | undefined {
  const limit = URL.parse(address, "http://base")?.searchParams.get("limit");
  return limit && /^\d+$/.test(limit) ? Number(limit) : undefined;
}

/** The limit that a page was requested with; undefined if its URL has none. */
export function limitOf({ request }: Exchange): number | undefined {
  return limitIn(request.url);
}

/**
 * Whether two pages start with the same items, like pages from the same position with different
 * limits.
 */
export function beginsAlike(one: Page, other: Page): boolean {
  const [a, b] = [keysOf(one), keysOf(other)];
  const count = Math.min(a.length, b.length);
  return (count > 0 || a.length === b.length) && a.slice(0, count).every((key, i) => key === b[i]);
}

/** Whether two pages have the same items in the same order. */
export function isSamePage(one: Page, other: Page): boolean {
  return JSON.stringify(keysOf(one)) === JSON.stringify(keysOf(other));
}
