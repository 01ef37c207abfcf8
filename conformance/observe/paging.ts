import { operations } from "../../generated/operations.ts";
import { maxPageSize } from "../../generated/resources.ts";
import type { Session } from "../check.ts";
import { unlessSkipped } from "../skip.ts";
import { feedOf } from "./crawl.ts";
import { type CollectionOperation, collections } from "./operations.ts";
import {
  hrefOf,
  isComplete,
  itemsOf,
  keysOnPages,
  type Page,
  styleOf,
  type Walk,
  walk,
} from "./pages.ts";

/** A collection, walked with a limit. */
export interface LimitedWalk extends Walk {
  /** Undefined for the server's default. */
  readonly limit: number | undefined;
}

/** One look at a collection: its walks at several limits, and its pages at several offsets. */
export interface Paging {
  readonly operation: CollectionOperation;
  readonly walks: readonly LimitedWalk[];
  /** The key of every resource found by any walk, in the order of the longest walk. */
  readonly keys: readonly string[];
  /** A complete walk in offset style, whose order gives offsets their meaning; or undefined. */
  readonly byOffset: LimitedWalk | undefined;
  /** Fetches the page that a link leads to, once; undefined if the link was not followed. */
  readonly follow: (href: string) => Promise<Page | undefined>;
  /** Fetches the page at an offset, once. Only this builds the address of a page (PAGE-14). */
  readonly at: (offset: number, limit: number) => Promise<Page>;
}

/** Undefined is the server's default. The others are near the bounds or divide few totals. */
const LIMITS = [undefined, 1, 2, 3, 7, 50, maxPageSize];

/** Walks that need more pages are cut short. */
const MAX_STEPS = 30;

/** Pages read of a collection that is too long for a limit. */
const FEW_STEPS = 3;

/** Walks every accessible collection at several limits. */
export async function pagingsOf(session: Session): Promise<readonly Paging[]> {
  const { walks } = await feedOf(session);
  const requested = collections.filter((operation) => walks.has(operation));
  return Promise.all(requested.map((operation) => pagingOf(session, operation, "")));
}

/** The path of a later page of each list, as a next link has it. */
export async function laterPagesOf(
  session: Session,
): Promise<{ readonly operation: CollectionOperation; readonly path: string }[]> {
  return (await pagingsOf(session)).flatMap(({ operation, walks }) => {
    const hrefs = walks.flatMap(({ pages }) => pages.map((page) => hrefOf(page, "next")));
    const path = hrefs.find((href) => href?.startsWith("/"));
    return path === undefined ? [] : [{ operation, path }];
  });
}

/**
 * Walks a collection at several limits.
 *
 * @param time Distinguishes looks at the same collection: each fetches every page again.
 */
export function pagingOf(
  session: Session,
  operation: CollectionOperation,
  time: string,
): Promise<Paging> {
  return session.share(`pages of ${operation}${time}`, async (shared) => {
    // Each walk has its own name: if links lose the limit, two walks send the same requests.
    const walkAt = (limit: number | undefined, mostPages?: number) =>
      shared.share(`${operation} by ${limit ?? "default"}${time}`, async (own) => {
        const options = { ...(limit && { limit }), ...(mostPages && { mostPages }) };
        return { limit, ...(await walk(own, operation, options)) };
      });
    const known = time === "" && (await feedOf(shared)).walks.get(operation);
    const whole = known ? { limit: maxPageSize, ...known } : await walkAt(maxPageSize);
    const count = new Set(keysOnPages(whole)).size;
    // Limits for a page that is exactly full, and for one that is not (PAGE-05).
    const limits = new Set([...LIMITS, count - 1, count, count + 1].filter(isLimit));
    limits.delete(maxPageSize);
    const walks = await Promise.all(
      [...limits].map((limit) => {
        // 20 is a common default.
        const steps = Math.ceil(count / (limit ?? 20)) + 1;
        return walkAt(limit, steps <= MAX_STEPS ? MAX_STEPS : FEW_STEPS);
      }),
    );
    const all: LimitedWalk[] = [whole, ...walks];
    const longest = all.toSorted((a, b) => keysOnPages(b).length - keysOnPages(a).length);
    const pageOf = (exchange: Page["exchange"]) => ({
      exchange,
      items: itemsOf(operation, exchange),
    });
    return {
      operation,
      walks: all,
      keys: [...new Set(longest.flatMap(keysOnPages))],
      byOffset: all.filter(isComplete).find((one) => styleOf(one) === "offset-style"),
      follow: memoized(async (href) => {
        const exchange = await unlessSkipped(shared.follow(href));
        return exchange && pageOf(exchange);
      }),
      at: memoized(async (offset, limit) => {
        const path = `${operations[operation].path}?offset=${offset}&limit=${limit}`;
        // Its own name: a link may lead to the same address.
        const own = shared.named(`${operation} by offset${time}`);
        return pageOf(await own.sendAuthorized({ method: "GET", path }));
      }),
    };
  });
}

function memoized<Args extends readonly unknown[], T>(
  make: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (...args) => {
    const key = args.join(" ");
    const one = made.get(key) ?? make(...args);
    made.set(key, one);
    return one;
  };
}

function isLimit(limit: number | undefined): boolean {
  return limit === undefined || (limit >= 1 && limit <= maxPageSize);
}
