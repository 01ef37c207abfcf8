import { type Breach, type Found, Skip } from "../check.ts";
import type { Session } from "../session.ts";
import { feedOf } from "./crawl.ts";
import { type CollectionOperation, collections } from "./operations.ts";
import { hasItems, isPage, keysOf } from "./paging-page.ts";
import { itemsOf, type Page, type Walk, walk } from "./walk.ts";

/** A collection, walked with a limit. */
export interface LimitedWalk extends Walk {
  /** Undefined where the server chose. */
  readonly limit: number | undefined;
}

/** A collection with what walking it at several limits gave. */
export interface Paging {
  readonly operation: CollectionOperation;
  readonly walks: readonly LimitedWalk[];
  /** Every resource that any walk came to, in the order of the walk that came to most. */
  readonly keys: readonly string[];
  /**
   * The page that a link leads to, each asked once; undefined where it is not followed.
   */
  readonly follow: (href: string) => Promise<Page | undefined>;
}

/** Undefined leaves it to the server. Around the bounds, and what divides few totals. */
const LIMITS = [undefined, 1, 2, 3, 7, 50, 100];

const LARGEST = 100;

/** A walk of more pages is not made to its end. */
const MOST_STEPS = 30;

/** What is looked at of a collection that is too long for a limit. */
const FEW_STEPS = 3;

/** A second look asks for all anew, as a collection may change while it is walked. */
const TIMES_AGAIN = [", again", ", a third time", ", a last time"] as const;

type Time = "" | (typeof TIMES_AGAIN)[number];

/** Every collection that could be asked, walked. */
export async function pagingsOf(session: Session): Promise<readonly Paging[]> {
  const { walks } = await feedOf(session);
  const asked = collections.filter((operation) => walks.has(operation));
  return Promise.all(asked.map((operation) => pagingOf(session, operation, "")));
}

function pagingOf(session: Session, operation: CollectionOperation, time: Time): Promise<Paging> {
  return session.share(`pages of ${operation}${time}`, async (shared) => {
    // Each has a name of its own: where links lose the limit, two walks ask for the same.
    const walkAt = (limit: number | undefined, mostPages?: number) =>
      shared.share(`${operation} by ${limit ?? "default"}${time}`, async (own) => {
        const options = { ...(limit && { limit }), ...(mostPages && { mostPages }) };
        return { limit, ...(await walk(own, operation, options)) };
      });
    const known = time === "" && (await feedOf(shared)).walks.get(operation);
    const whole = known ? { limit: LARGEST, ...known } : await walkAt(LARGEST);
    const count = new Set(keysOnPages(whole)).size;
    // A page that is just full, and one that just isn't (PAGE-05).
    const limits = new Set([...LIMITS, count - 1, count, count + 1].filter(isLimit));
    limits.delete(LARGEST);
    const walks = await Promise.all(
      [...limits].map((limit) => {
        // Twenty is what most servers choose.
        const steps = Math.ceil(count / (limit ?? 20)) + 1;
        return walkAt(limit, steps <= MOST_STEPS ? MOST_STEPS : FEW_STEPS);
      }),
    );
    const all: LimitedWalk[] = [whole, ...walks];
    const longest = all.toSorted((a, b) => keysOnPages(b).length - keysOnPages(a).length);
    const keys = [...new Set(longest.flatMap(keysOnPages))];
    return { operation, walks: all, keys, follow: followerOf(shared, operation) };
  });
}

/** Follows links to pages, each once. */
function followerOf(session: Session, operation: CollectionOperation): Paging["follow"] {
  const followed = new Map<string, Promise<Page | undefined>>();
  const follow = async (href: string): Promise<Page | undefined> => {
    try {
      const exchange = await session.follow(href);
      return { exchange, items: itemsOf(operation, exchange) };
    } catch (error) {
      if (error instanceof Skip) return undefined;
      throw error;
    }
  };
  return (href) => {
    const page = followed.get(href) ?? follow(href);
    followed.set(href, page);
    return page;
  };
}

function isLimit(limit: number | undefined): boolean {
  return limit === undefined || (limit >= 1 && limit <= LARGEST);
}

/** The resources of a walk, in its order, each as often as it came to it. */
export function keysOnPages({ pages }: Walk): string[] {
  return pages.flatMap(keysOf);
}

/** Whether a walk came to a page with no next link. */
export function isComplete({ end, pages: [first] }: Walk): boolean {
  return end.kind === "last" && first !== undefined && isPage(first);
}

function isReadable({ walks }: Paging): boolean {
  return walks.every(({ pages }) => pages.filter(isPage).every(hasItems));
}

/** What a look at one collection gave; it looked at nothing where there was nothing of it. */
export interface PagingResult {
  readonly assertions: number;
  readonly breaches: readonly Breach[];
}

/**
 * Looks at every collection. A breach counts where it comes again with pages that are asked for
 * anew, of a collection that stays as it is meanwhile: pages that contradict each other may just
 * have changed in between.
 *
 * @returns Resolves to Unseen where no collection had anything to look at.
 */
export async function checkPages(
  session: Session,
  unseen: Skip,
  look: (paging: Paging) => PagingResult | Promise<PagingResult>,
): Promise<Found | Skip> {
  const pagings = (await pagingsOf(session)).filter(isReadable);
  const looks = await Promise.all(pagings.map(look));
  const assertions = looks.reduce((sum, each) => sum + each.assertions, 0);
  if (assertions === 0) return unseen;
  const suspects = pagings.filter((_, i) => (looks[i]?.breaches.length ?? 0) > 0);
  const confirmed = await Promise.all(
    suspects.map(({ operation }) => recheck(session, operation, look)),
  );
  return { assertions, breaches: confirmed.flat() };
}

async function recheck(
  session: Session,
  operation: CollectionOperation,
  look: (paging: Paging) => PagingResult | Promise<PagingResult>,
): Promise<readonly Breach[]> {
  for (const time of TIMES_AGAIN) {
    const paging = await pagingOf(session, operation, time);
    const { breaches } = await look(paging);
    if (breaches.length === 0) return [];
    if (await isSteady(session, paging)) return breaches;
  }
  return [];
}

/**
 * Whether a collection is after a look what it was before. One that has the same number of items
 * but in another order, or some of them twice, was not added to: that is how it is walked.
 */
async function isSteady(session: Session, { operation, walks }: Paging): Promise<boolean> {
  const [before] = walks;
  if (before?.end.kind !== "last") return true;
  const [one, other] = [
    keysOnPages(before),
    keysOnPages(await walk(session, operation, { limit: LARGEST })),
  ];
  const isShuffled = new Set(one).size < one.length || new Set(other).size < other.length;
  return (
    one.length === other.length && (isShuffled || new Set([...one, ...other]).size === one.length)
  );
}
