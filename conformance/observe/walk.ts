import { valueAt } from "../../src/contract/pointer.ts";
import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import { type Exchange, outcomeOf } from "../wire/exchange.ts";
import { linkAt } from "./link.ts";
import { type CollectionOperation, ITEM_KEYS } from "./operations.ts";

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
  readonly limit?: number;
  readonly mostPages?: number;
  readonly afterFirst?: () => Promise<unknown>;
}

/** Maximum number of pages per walk: 20,000 items at 100 a page. */
const MAX_PAGES = 200;

/**
 * Walks a collection.
 *
 * @param limit The number of items per page. Default: the server's default.
 * @param mostPages The maximum number of pages.
 * @param afterFirst Called between the first page and the others.
 * @returns Resolves even if the walk ends early. Rejects like `Session.call`.
 */
export async function walk(
  session: Session,
  operation: CollectionOperation,
  { limit, mostPages = MAX_PAGES, afterFirst }: WalkOptions = {},
): Promise<Walk> {
  const query = limit === undefined ? {} : { query: { limit } };
  let exchange = await session.call(operation, query);
  const pages: Page[] = [];
  const seen = new Set<string>();
  for (;;) {
    pages.push({ exchange, items: itemsOf(operation, exchange) });
    const { response } = exchange;
    if (response?.status !== 200 || response.json === undefined) {
      return { operation, pages, end: { kind: "broken", reason: outcomeOf(exchange) } };
    }
    const href = linkAt(response.json, ["_links", "next"]);
    if (href === undefined) return { operation, pages, end: { kind: "last" } };
    if (seen.has(href)) return { operation, pages, end: { kind: "cycle", href } };
    if (pages.length >= mostPages) return { operation, pages, end: { kind: "long" } };
    seen.add(href);
    if (pages.length === 1) await afterFirst?.();
    try {
      exchange = await session.follow(href);
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      return { operation, pages, end: { kind: "broken", reason: error.reason } };
    }
  }
}

/** The items of a page; empty if the response is not a page. */
export function itemsOf(operation: CollectionOperation, { response }: Exchange): unknown[] {
  const items = valueAt(response?.json, ["_embedded", ITEM_KEYS[operation]]);
  return Array.isArray(items) ? items : [];
}
