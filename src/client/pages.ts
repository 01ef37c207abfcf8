import { assertKnownOptions, invalidOption } from "../options.ts";
import { FeedContractError } from "./errors.ts";
import { hrefOf, type LinkLike } from "./link.ts";

/** How a list is walked. */
export interface Walk<Page> {
  /** Fetches the page that a link leads to, the first one where there is none. */
  readonly fetch: (link: LinkLike | undefined, signal: AbortSignal) => Promise<Page>;
  /** Where a list is taken up: the link to a page of it. */
  readonly from: LinkLike | undefined;
  /** Whether the next page is fetched while the items of this one are consumed. */
  readonly ahead: boolean | undefined;
  /** The path of the collection, such as `/cards`. */
  readonly path: string;
  /** Where the items stand under `_embedded`. */
  readonly key: string;
}

/** How many pages in a row may be empty. A list with more of them is taken as endless. */
const MOST_EMPTY = 100;

/** Longer marks, of ids that are no ids, are not remembered. */
const LONGEST_MARK = 1000;

/** A page, as far as a walk looks at it. */
interface AnyPage {
  readonly totalItems?: unknown;
  readonly _links?: {
    readonly self?: LinkLike;
    readonly next?: LinkLike;
    readonly first?: unknown;
  };
  readonly _embedded?: Readonly<Record<string, unknown>>;
}

/**
 * A list of which nothing is fetched before it is iterated; each iteration begins anew. The pages
 * are reached by their links alone, in either style (PAGE-14).
 */
export class Pages<Item, Page> implements AsyncIterable<Item> {
  readonly #walk: Walk<Page>;

  constructor(walk: Walk<Page>) {
    this.#walk = walk;
  }

  /**
   * Iterates the items, fetching page after page.
   *
   * @returns an iterator. It rejects as a call does, and with a FeedContractError if the pages go
   * round in a cycle, or if 100 pages in a row are empty and the list goes on. A short cycle that
   * starts late is found after some more rounds.
   * Breaking off cancels what is under way.
   */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    return cancelling((signal) => items<Item>(walk(this.#walk, signal), this.#walk.key));
  }

  /** Iterates the pages as they come, with their `_links` and, in offset style, `totalItems`. */
  pages(): AsyncGenerator<Page, void, undefined> {
    return cancelling((signal) => walk(this.#walk, signal));
  }

  /**
   * Collects items.
   *
   * @param limits How many at most: what comes after them is not fetched, but
   * for the one page that `ahead` has under way.
   * @returns Resolves to the items. Rejects as iterating does.
   */
  async toArray(limits: { readonly max: number }): Promise<Item[]> {
    assertKnownOptions("toArray", limits, ["max"]);
    const max: unknown = limits.max;
    if (typeof max !== "number" || !(max >= 0)) {
      throw invalidOption("toArray: max", "a number from 0 up", max);
    }
    const collected: Item[] = [];
    if (max === 0) return collected;
    for await (const item of this) if (collected.push(item) >= max) break;
    return collected;
  }
}

async function* walk<Page>(
  { fetch, from, ahead, path, key }: Walk<Page>,
  signal: AbortSignal,
): AsyncGenerator<Page, void, undefined> {
  // Of pages 1, 2, 4, 8 and so on: every cycle leads back to one of them (Brent).
  const seen = new Set<unknown>();
  let count = 0;
  let empty = 0;
  let read = 0;
  const add = (mark: unknown) => {
    if ((count & (count - 1)) === 0) seen.add(mark);
  };
  const once = (mark: unknown, what: string) => {
    if (seen.has(mark)) throw broken(path, `${what} a second time`);
    add(mark);
  };
  if (from !== undefined) add(hrefOf(from));
  let coming: Promise<Page> | undefined = fetch(from, signal);
  while (coming) {
    const page: Page = await coming;
    const found = (page as AnyPage | null)?._embedded?.[key];
    if (!Array.isArray(found)) throw broken(path, `the page has no _embedded.${key}[] (PAGE-10)`);
    const { self, next, first } = (page as AnyPage)._links ?? {};
    count += 1;
    read += found.length;
    empty = found.length === 0 ? empty + 1 : 0;
    if (empty === MOST_EMPTY && next !== undefined) {
      const advice = "to read on, list from the next link of the last page";
      throw broken(path, `${MOST_EMPTY} pages in a row are empty; ${advice}`);
    }
    // In offset style an item that came meanwhile may move a page's items to the next one, but a
    // list does not go on after as many items as it has.
    const { totalItems } = page as AnyPage;
    const isEndless = next !== undefined && read >= Number(totalItems);
    const mark = markOf(found);
    if (mark !== undefined && (first === undefined || isEndless)) once(mark, "the same items come");
    else if (mark !== undefined) add(mark);
    if (self !== undefined) add(hrefOf(self));
    if (next !== undefined) once(hrefOf(next), "a link leads to a page");
    const fetchNext = () => (next === undefined ? undefined : fetch(next, signal));
    const early = ahead ? fetchNext() : undefined;
    // It is looked at when its turn comes; until then its failure is nobody's.
    early?.catch(() => {});
    yield page;
    coming = early ?? fetchNext();
  }
}

/** The items of pages that a walk has looked at. */
async function* items<Item>(
  pages: AsyncGenerator<unknown, void, undefined>,
  key: string,
): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* (page as AnyPage)._embedded?.[key] as Item[];
}

/** Identifies a page by the ids at both ends and the number of its items; undefined without ids. */
function markOf(found: readonly unknown[]): string | undefined {
  const ends = [found[0], found.at(-1)].map((item) => (item as { id?: unknown } | null)?.id);
  const mark = JSON.stringify([...ends, found.length]);
  return ends.includes(undefined) || mark.length > LONGEST_MARK ? undefined : mark;
}

function broken(path: string, reason: string): FeedContractError {
  return new FeedContractError(reason, { call: { method: "GET", path, attempts: 1 } });
}

/** A generator that cancels what is under way as soon as it is broken off, not after it. */
function cancelling<T>(
  start: (signal: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const controller = new AbortController();
  const generator = start(controller.signal);
  const { return: end, throw: fail } = generator;
  return Object.assign(generator, {
    return: (value: undefined) => {
      controller.abort();
      return end.call(generator, value);
    },
    throw: (error: unknown) => {
      controller.abort();
      return fail.call(generator, error);
    },
  });
}
