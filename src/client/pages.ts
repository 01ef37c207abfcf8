import { assertKnownOptions, invalidOption } from "../options.ts";
import { FeedContractError } from "./errors.ts";
import { hrefOf, type LinkLike } from "./link.ts";

/** The pages of a list, and how to fetch them. */
interface Walk<Page> {
  /** Fetches the page that a link leads to; without a link, the first page. */
  readonly fetch: (link: LinkLike | undefined, signal: AbortSignal) => Promise<Page>;
  /** The link to the page to start from. */
  readonly from: LinkLike | undefined;
  /** Whether the next page is fetched while the items of this one are consumed. */
  readonly ahead: boolean | undefined;
  /** The path of the collection, such as `/cards`. */
  readonly path: string;
  /** The name of the items' array in `_embedded`. */
  readonly key: string;
}

/** The number of consecutive empty pages after which a list is considered endless. */
const MAX_EMPTY_PAGES = 100;

/** Longer fingerprints, from malformed ids, are not remembered. */
const MAX_FINGERPRINT_LENGTH = 1000;

/** The parts of a page that the iteration reads. */
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
 * A list that is fetched while it is iterated; each iteration starts again. It follows the links of
 * the pages, in cursor and in offset style (PAGE-14).
 */
export class Pages<Item, Page> implements AsyncIterable<Item> {
  readonly #walk: Walk<Page>;

  constructor(walk: Walk<Page>) {
    this.#walk = walk;
  }

  /**
   * Iterates the items, fetching page after page.
   *
   * A short cycle that starts late is detected after several repetitions.
   *
   * @returns an iterator. Leaving the loop cancels the requests in flight.
   * @throws {FeedContractError} `contract` if the pages form a cycle, or 100 consecutive pages are
   * empty
   * @throws {FeedError} any other code
   */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    return cancelling((signal) => items<Item>(walk(this.#walk, signal), this.#walk.key));
  }

  /** Iterates the pages, with their `_links` and, in offset style, `totalItems`. */
  pages(): AsyncGenerator<Page, void, undefined> {
    return cancelling((signal) => walk(this.#walk, signal));
  }

  /**
   * Collects items into an array.
   *
   * @param limits The maximum number of items. Later pages are not fetched, except for one with
   * `ahead`.
   * @returns Resolves to the items.
   * @throws as the iteration does
   */
  async toArray(limits: { readonly max: number }): Promise<Item[]> {
    assertKnownOptions("toArray", limits, ["max"]);
    const max: unknown = limits.max;
    if (typeof max !== "number" || !(max >= 0)) {
      throw invalidOption("toArray: max", "a number, 0 or more", max);
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
  // Remembers pages 1, 2, 4, 8 and so on: every cycle returns to one of them (Brent).
  const seen = new Set<unknown>();
  let count = 0;
  let empty = 0;
  let read = 0;
  const add = (fingerprint: unknown) => {
    if ((count & (count - 1)) === 0) seen.add(fingerprint);
  };
  const addOnce = (fingerprint: unknown, what: string) => {
    if (seen.has(fingerprint)) throw contractError(path, `${what} a second time`);
    add(fingerprint);
  };
  if (from !== undefined) add(hrefOf(from));
  let nextPage: Promise<Page> | undefined = fetch(from, signal);
  while (nextPage) {
    const page: Page = await nextPage;
    const found = (page as AnyPage | null)?._embedded?.[key];
    if (!Array.isArray(found))
      throw contractError(path, `the page has no _embedded.${key}[] (PAGE-10)`);
    const { self, next, first } = (page as AnyPage)._links ?? {};
    count += 1;
    read += found.length;
    empty = found.length === 0 ? empty + 1 : 0;
    if (empty === MAX_EMPTY_PAGES && next !== undefined) {
      const advice = "to continue, list from the next link of the last page";
      throw contractError(path, `${MAX_EMPTY_PAGES} pages in a row are empty; ${advice}`);
    }
    // In offset style a new item can move a page's items to the next page. But a list must end
    // after `totalItems` items.
    const { totalItems } = page as AnyPage;
    const isEndless = next !== undefined && read >= Number(totalItems);
    const fingerprint = fingerprintOf(found);
    if (fingerprint && (first === undefined || isEndless))
      addOnce(fingerprint, "the same items appear");
    else if (fingerprint) add(fingerprint);
    if (self !== undefined) add(hrefOf(self));
    if (next !== undefined) addOnce(hrefOf(next), "a link leads to the same page");
    const fetchNext = () => (next === undefined ? undefined : fetch(next, signal));
    const early = ahead ? fetchNext() : undefined;
    // Prevents an unhandled rejection; a failure is thrown when the page is read.
    early?.catch(() => {});
    yield page;
    nextPage = early ?? fetchNext();
  }
}

/** Iterates the items of pages that were checked. */
async function* items<Item>(
  pages: AsyncGenerator<unknown, void, undefined>,
  key: string,
): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* (page as AnyPage)._embedded?.[key] as Item[];
}

/** A fingerprint: the number of items, the first and the last id; undefined without ids. */
function fingerprintOf(found: readonly unknown[]): string | undefined {
  const ends = [found[0], found.at(-1)].map((item) => (item as { id?: unknown } | null)?.id);
  const fingerprint = JSON.stringify([...ends, found.length]);
  return ends.includes(undefined) || fingerprint.length > MAX_FINGERPRINT_LENGTH
    ? undefined
    : fingerprint;
}

function contractError(path: string, reason: string): FeedContractError {
  return new FeedContractError(reason, { call: { method: "GET", path, attempts: 1 } });
}

/** Creates a generator whose `return` and `throw` cancel the requests in flight at once. */
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
