import { isDeepStrictEqual } from "node:util";
import { operations } from "../../generated/operations.ts";
import type { Situation } from "../../generated/requirements.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import type { Session } from "../check.ts";
import { orSkip, Skip } from "../skip.ts";
import { type Exchange, outcomeOf } from "../wire/exchange.ts";
import { type CollectionOperation, ITEM_KEYS, linkAt } from "./operations.ts";

/** A page reached by a walk. */
export interface Page {
  readonly exchange: Exchange;
  /** Empty if the response is not a page. */
  readonly items: readonly unknown[];
}

/** How a walk ended. */
type WalkEnd =
  /** At a page with no next link. */
  | { readonly kind: "last" }
  /** At the page limit: the collection is longer. */
  | { readonly kind: "long" }
  /** A next link leads to a page already visited. */
  | { readonly kind: "cycle"; readonly href: string }
  /** A page has no 200 JSON response, or its next link was not followed. */
  | { readonly kind: "broken"; readonly reason: string };

/** A collection, walked by its next links from the first page. */
export interface Walk {
  readonly operation: CollectionOperation;
  /** At least one. */
  readonly pages: readonly Page[];
  readonly end: WalkEnd;
}

interface WalkOptions {
  /** The number of items per page. Default: the server's default. */
  readonly limit?: number;
  /** The maximum number of pages. */
  readonly mostPages?: number;
  /** The first page, if it is known. */
  readonly from?: Exchange;
  /** The variable of another account's token. */
  readonly token?: string;
  /** Called between the first page and the others. */
  readonly afterFirst?: () => Promise<unknown>;
}

/** Maximum number of pages per walk: 20,000 items at 100 a page. */
export const MAX_PAGES = 200;

/**
 * Walks a collection.
 *
 * @returns Resolves even if the walk ends early. Rejects like `Session.call`.
 */
export async function walk(
  session: Session,
  operation: CollectionOperation,
  { limit, mostPages = MAX_PAGES, from, token, afterFirst }: WalkOptions = {},
): Promise<Walk> {
  const query = limit === undefined ? {} : { query: { limit } };
  const follow = (path: string) =>
    token ? session.sendAuthorized({ method: "GET", path }, token) : session.follow(path);
  let exchange =
    from ??
    (token
      ? await follow(`${operations[operation].path}${limit ? `?limit=${limit}` : ""}`)
      : await session.call(operation, query));
  const pages: Page[] = [];
  const seen = new Set<string>();
  const ended = (end: WalkEnd): Walk => ({ operation, pages, end });
  for (;;) {
    pages.push({ exchange, items: itemsOf(operation, exchange) });
    const { response } = exchange;
    if (response?.status !== 200 || response.json === undefined) {
      return ended({ kind: "broken", reason: outcomeOf(exchange) });
    }
    const href = linkAt(response.json, ["_links", "next"]);
    if (href === undefined) return ended({ kind: "last" });
    if (seen.has(href)) return ended({ kind: "cycle", href });
    if (pages.length >= mostPages) return ended({ kind: "long" });
    seen.add(href);
    if (pages.length === 1) await afterFirst?.();
    const following = await orSkip(follow(href));
    if (following instanceof Skip) return ended({ kind: "broken", reason: following.reason });
    exchange = following;
  }
}

/** The items of a page; empty if the response is not a page. */
export function itemsOf(operation: CollectionOperation, { response }: Exchange): unknown[] {
  const items = valueAt(response?.json, ["_embedded", ITEM_KEYS[operation]]);
  return Array.isArray(items) ? items : [];
}

/** An item of a list. */
export interface Item {
  /** The value as received. */
  readonly body: unknown;
  /** Its position in the response, as a JSON pointer. */
  readonly at: string;
  readonly exchange: Exchange;
}

/** The items of a page, with their positions. */
export function placedItems(operation: CollectionOperation, { exchange, items }: Page): Item[] {
  const list = `/_embedded/${ITEM_KEYS[operation]}`;
  return items.map((body, i) => ({ body, at: `${list}/${i}`, exchange }));
}

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

/** Whether a response depends on the request. Auth failures and outages do not. */
export function isConclusive({ exchange: { response } }: Page): boolean {
  return response !== undefined && ![401, 503].includes(response.status);
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

/** Whether a walk ended at a page without a next link. */
export function isComplete({ end, pages: [first] }: Walk): boolean {
  return end.kind === "last" && first !== undefined && isPage(first);
}

/** The keys of a walk's items in order, including duplicates. */
export function keysOnPages({ pages }: Walk): string[] {
  return pages.flatMap(keysOf);
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
  return isDeepStrictEqual(keysOf(one), keysOf(other));
}

/** The items of a collection that have a given id. */
interface Items {
  readonly id: string;
  readonly items: readonly unknown[];
  /** The page with the item; the last page if there is none. */
  readonly page: Exchange;
  /** Whether the collection was read to its end, so that a missing item is conclusive. */
  readonly isWhole: boolean;
}

/** Maximum number of pages that a step reads: the checks at the end of a run read long lists. */
const MAX_PAGES_OF_STEP = 10;

/** Finds the items with each id in a collection. By default it reads only the first 1,000 items. */
export async function itemsWithIds(
  session: Session,
  operation: CollectionOperation,
  ids: readonly string[],
  mostPages = MAX_PAGES_OF_STEP,
): Promise<Items[]> {
  const { pages, end } = await walk(session, operation, { limit: 100, mostPages });
  return ids.map((id) => {
    const hasId = (item: unknown) => memberOf(item, "id") === id;
    const page = pages.find(({ items }) => items.some(hasId)) ?? pages.at(-1);
    if (!page) throw new Error("a walk has a page");
    const isWhole = end.kind === "last";
    return { id, items: page.items.filter(hasId), page: page.exchange, isWhole };
  });
}

/** Finds the items with an id in a collection. */
export async function itemsWithId(
  session: Session,
  operation: CollectionOperation,
  id: string,
): Promise<Items> {
  const [items] = await itemsWithIds(session, operation, [id]);
  return items as Items;
}

/** A collection that was read to its end. */
export interface WholeList {
  /** By id. */
  readonly items: ReadonlyMap<string, Item>;
  readonly last: Exchange;
}

/** All items of a collection; undefined if it can't be read to its end. */
export async function wholeList(session: Session, operation: CollectionOperation) {
  return wholeListOf(await walk(session, operation, { limit: 100 }));
}

/** All items of a walk; undefined if it did not reach the end of its collection. */
export function wholeListOf({ operation, pages, end }: Walk): WholeList | undefined {
  const last = pages.at(-1)?.exchange;
  if (end.kind !== "last" || !last) return undefined;
  const items = pages.flatMap((page) => placedItems(operation, page));
  return { items: new Map(items.map((item) => [String(memberOf(item.body, "id")), item])), last };
}

/** A collection after all deliveries. Only checks that run at the end of a run may call it. */
export function listAtEnd(session: Session, operation: CollectionOperation) {
  return session.share(`at the end: ${operation}`, (own) => wholeList(own, operation));
}

/** Reads a list. It may lag: if an item is missing, reads it again after the timeout. */
export async function listedSoon<T>(
  session: Session,
  list: () => Promise<T>,
  isEnough: (list: T) => boolean,
): Promise<T> {
  const first = await list();
  if (isEnough(first)) return first;
  await session.deliveries(() => false);
  return await list();
}

/** Whether a list was read to its end and does not have an item. */
export function isGone(found: Items | undefined): boolean {
  return found?.isWhole === true && found.items.length === 0;
}
