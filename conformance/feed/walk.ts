import { valueAt } from "../../src/contract/pointer.ts";
import type { Session } from "../session.ts";
import { Skip } from "../skip.ts";
import { type Exchange, outcomeOf } from "../transport/exchange.ts";
import { linkAt } from "./link.ts";
import { type CollectionOperation, ITEM_KEYS } from "./operations.ts";

/** A page as a walk came to it. */
export interface Page {
  readonly exchange: Exchange;
  /** Empty where it is no page. */
  readonly items: readonly unknown[];
}

/** How a walk ended. */
type WalkEnd =
  /** At a page with no next link. */
  | { readonly kind: "last" }
  /** The walk stopped by itself: the collection is longer than it goes. */
  | { readonly kind: "long" }
  /** A next link leads to a page where the walk has been. */
  | { readonly kind: "cycle"; readonly href: string }
  /** A page was not answered 200 with JSON, or its next link is not followed. */
  | { readonly kind: "broken"; readonly reason: string };

/** A collection, walked by its next links from the first page on. */
export interface Walk {
  readonly operation: CollectionOperation;
  /** At least one. */
  readonly pages: readonly Page[];
  readonly end: WalkEnd;
}

/** A walk goes no further: at 100 items a page, that is 20,000. */
const MOST_PAGES = 200;

/**
 * Walks a collection.
 *
 * @param limit How many items a page is to have; the server's choice unless set.
 * @param mostPages The walk goes no further.
 * @returns Resolves also where it can't be walked to its end. Rejects as `Session.ask` does.
 */
export async function walk(
  session: Session,
  operation: CollectionOperation,
  { limit, mostPages = MOST_PAGES }: { limit?: number; mostPages?: number } = {},
): Promise<Walk> {
  const query = limit === undefined ? {} : { query: { limit } };
  let exchange = await session.call(operation, query);
  const pages: Page[] = [];
  const been = new Set<string>();
  for (;;) {
    pages.push({ exchange, items: itemsOf(operation, exchange) });
    const { response } = exchange;
    if (response?.status !== 200 || response.json === undefined) {
      return { operation, pages, end: { kind: "broken", reason: outcomeOf(exchange) } };
    }
    const href = linkAt(response.json, ["_links", "next"]);
    if (href === undefined) return { operation, pages, end: { kind: "last" } };
    if (been.has(href)) return { operation, pages, end: { kind: "cycle", href } };
    if (pages.length >= mostPages) return { operation, pages, end: { kind: "long" } };
    been.add(href);
    try {
      exchange = await session.follow(href);
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      return { operation, pages, end: { kind: "broken", reason: error.reason } };
    }
  }
}

/** The items of a page; none where it is no page. */
export function itemsOf(operation: CollectionOperation, { response }: Exchange): unknown[] {
  const items = valueAt(response?.json, ["_embedded", ITEM_KEYS[operation]]);
  return Array.isArray(items) ? items : [];
}
