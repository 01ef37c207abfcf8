import { operations } from "../../generated/operations.ts";
import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { maxPageSize } from "../../generated/resources.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import { Assertions } from "../assert.ts";
import { type Breach, type Found, type Session, Skip } from "../check.ts";
import { Aborted } from "../skip.ts";
import { type Exchange, outcomeOf } from "../wire/exchange.ts";
import { feedOf } from "./crawl.ts";
import { type CollectionOperation, collections } from "./operations.ts";
import { hasItems, isPage, itemsOf, keysOf, type Page, totalOf, type Walk, walk } from "./pages.ts";

/** A collection, walked with a limit. */
export interface LimitedWalk extends Walk {
  /** Undefined for the server's default. */
  readonly limit: number | undefined;
}

/** A collection and its walks at several limits. */
export interface Paging {
  readonly operation: CollectionOperation;
  readonly walks: readonly LimitedWalk[];
  /** The key of every resource found by any walk, in the order of the longest walk. */
  readonly keys: readonly string[];
  /**
   * Fetches the page that a link leads to, once per link; undefined if the link was not followed.
   */
  readonly follow: (href: string) => Promise<Page | undefined>;
}

/** Undefined is the server's default. The others are near the bounds or divide few totals. */
const LIMITS = [undefined, 1, 2, 3, 7, 50, maxPageSize];

/** Walks that need more pages are cut short. */
const MAX_STEPS = 30;

/** Pages read of a collection that is too long for a limit. */
const FEW_STEPS = 3;

/** The looks at a list, as suffixes of names. Each look fetches every page again. */
const TIMES = ["", ", again", ", a third time", ", a last time"] as const;

/** Walks every accessible collection at several limits. */
export async function pagingsOf(session: Session): Promise<readonly Paging[]> {
  const { walks } = await feedOf(session);
  const requested = collections.filter((operation) => walks.has(operation));
  return Promise.all(requested.map((operation) => pagingOf(session, operation, "")));
}

function pagingOf(session: Session, operation: CollectionOperation, time: string): Promise<Paging> {
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
    const keys = [...new Set(longest.flatMap(keysOnPages))];
    return { operation, walks: all, keys, follow: followerOf(shared, operation) };
  });
}

/** Follows each page link once. */
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
  return limit === undefined || (limit >= 1 && limit <= maxPageSize);
}

/** The keys of a walk's items in order, including duplicates. */
export function keysOnPages({ pages }: Walk): string[] {
  return pages.flatMap(keysOf);
}

/** Whether a walk ended at a page without a next link. */
export function isComplete({ end, pages: [first] }: Walk): boolean {
  return end.kind === "last" && first !== undefined && isPage(first);
}

function isReadable({ walks }: Paging): boolean {
  return walks.every(({ pages }) => pages.filter(isPage).every(hasItems));
}

/** Checks one collection. It makes no assertion if the collection has no data for the check. */
type Inspect = (paging: Paging, assertions: Assertions) => unknown;

/**
 * Checks every collection. Others may change a list while it is walked, and pages from before and
 * after a change contradict each other. Therefore a breach counts only if a second look at the
 * whole list shows the same again, or if no look shows a change.
 *
 * @param skip Returned if no collection had data for the check.
 */
export async function checkPages(
  session: Session,
  skip: Skip,
  inspect: Inspect,
): Promise<Found | Skip> {
  const readable = (await pagingsOf(session)).filter(isReadable);
  const results = await Promise.all(
    readable.map(({ operation }) => lookAt(session, operation, inspect)),
  );
  const all = combined(results.flatMap((one) => (one instanceof Skip ? [] : [one])));
  const unsteady = results.find((one) => one instanceof Skip);
  if (unsteady && all.breaches.length === 0) return unsteady;
  return all.assertions === 0 ? skip : all;
}

/** Looks at a collection until the result is certain. */
async function lookAt(
  session: Session,
  operation: CollectionOperation,
  inspect: Inspect,
): Promise<Found | Skip> {
  const looks: Paging[] = [];
  let before: string | undefined;
  for (const time of TIMES) {
    const paging = await pagingOf(session, operation, time);
    const found = await resultOf(paging, inspect);
    const shown = JSON.stringify([found.breaches.map(withoutEvidence), paging.walks.map(outline)]);
    if (found.breaches.length === 0 || shown === before) return found;
    before = shown;
    looks.push(paging);
    if (looks.length === TIMES.length && !hasChanged(looks)) return found;
  }
  const reason = `the list of ${operation} changed during ${looks.length} walks`;
  return new Aborted(reason, "let nobody else change the target's lists during the run");
}

const withoutEvidence = ({ evidence, ...breach }: Breach) => breach;

/** What a walk showed, without the text of its links. */
function outline({ limit, pages, end: { kind } }: LimitedWalk): unknown {
  const shown = pages.map((page) => [
    page.exchange.response?.status,
    keysOf(page),
    totalOf(page) ?? "",
  ]);
  return [limit ?? "", kind, shown];
}

/** Whether something was added to a list or removed from it during some looks. */
function hasChanged(looks: readonly Paging[]): boolean {
  const wholes = looks.flatMap(({ walks }) => walks.slice(0, 1)).filter(isConnected);
  const [count = 0, ...others] = new Set(wholes.map((one) => keysOnPages(one).length));
  const keys = new Set(looks.flatMap((look) => look.walks.flatMap(keysOnPages)));
  const totals = Map.groupBy(looks.flatMap(totalsOf), ([place]) => place);
  return (
    others.length > 0 ||
    (wholes.length > 0 && keys.size > count) ||
    [...totals.values()].some((same) => new Set(same.map(([, total]) => total)).size > 1)
  );
}

const isConnected = ({ end }: Walk) => end.kind !== "broken";

/** The total on each page, by the page's place in the walks. */
function totalsOf({ walks }: Paging): [place: string, total: unknown][] {
  return walks.flatMap(({ limit, pages }) =>
    pages.map((page, i): [string, unknown] => [`${limit} ${i}`, totalOf(page)]),
  );
}

async function resultOf(paging: Paging, inspect: Inspect): Promise<Found> {
  const assertions = new Assertions();
  await inspect(paging, assertions);
  const found = assertions.result("");
  return found instanceof Skip ? { assertions: 0, breaches: [], decided: new Map() } : found;
}

function combined(results: readonly Found[]): Found {
  const decided = new Map<ClaimId, Set<Situation>>();
  for (const [claim, situations] of results.flatMap((one) => [...(one.decided ?? [])])) {
    decided.set(claim, new Set([...(decided.get(claim) ?? []), ...situations]));
  }
  return {
    assertions: results.reduce((sum, each) => sum + each.assertions, 0),
    breaches: results.flatMap(({ breaches }) => breaches),
    decided,
  };
}

/** Invalid limits (PAGE-02). */
export const invalidLimits = [
  ...["101", "1000000", "99999999999999999999", "0", "-1", "1.5", "1e2", "ten", "NaN", ""],
];

/** Error statuses that are unrelated to the limit. */
const UNRELATED = new Set([401, 403, 404]);

/**
 * Requests a collection with an invalid limit. PAGE-02 leaves the status open. It can be read as
 * requiring an error, or as allowing the limit to be ignored. Both are accepted: a 4xx, or a page
 * of at most 100 items that does not follow the limit.
 *
 * @param isEmpty Whether the collection is empty.
 * @returns Resolves to the breaches; to undefined if the response is inconclusive.
 */
export async function checkInvalidLimit(
  session: Session,
  operation: CollectionOperation,
  limit: string,
  isEmpty: boolean,
): Promise<readonly Breach[] | undefined> {
  const path = `${operations[operation].path}?limit=${limit}`;
  const exchange = await session.sendAuthorized({ method: "GET", path });
  const { status = 0 } = exchange.response ?? {};
  if (UNRELATED.has(status)) return undefined;
  if (status >= 400 && status < 500) return [];
  const expected = `a 4xx, or a page of at most ${maxPageSize} items`;
  const items = itemCountOf(exchange);
  // PAGE-10 reports misplaced items.
  if (status === 200 && exchange.response?.json !== undefined && items === undefined) {
    return undefined;
  }
  if (status !== 200 || items === undefined) {
    return [{ expected, actual: outcomeOf(exchange), evidence: [exchange] }];
  }
  if (items > maxPageSize) return [{ expected, actual: `${items} items`, evidence: [exchange] }];
  if (Number(limit) === 0 && limit !== "") return ofNone(items, isEmpty, exchange);
  return revealsLimit(limit, items, exchange) ? [] : undefined;
}

/** An empty page of a non-empty collection follows a limit of 0, so its walk never ends. */
function ofNone(items: number, isEmpty: boolean, exchange: Exchange): Breach[] | undefined {
  if (items > 0) return [];
  if (isEmpty) return undefined;
  const expected = "a 4xx, or the same page as without the limit";
  return [{ expected, actual: "an empty page, although there are items", evidence: [exchange] }];
}

/** The number of items on a page; undefined if the response is not a page. */
function itemCountOf({ response }: Exchange): number | undefined {
  const embedded = Object.values(memberOf(response?.json, "_embedded") ?? {});
  return embedded.find((value) => Array.isArray(value))?.length;
}

/**
 * Whether a page shows that the limit was not followed: it was truncated, or has items although
 * none were requested.
 */
function revealsLimit(limit: string, items: number, exchange: Exchange): boolean {
  return Number(limit) > maxPageSize ? isThereMore(items, exchange) : items > 0;
}

function isThereMore(items: number, { response }: Exchange): boolean {
  const total = Number(memberOf(response?.json, "totalItems") ?? 0);
  return valueAt(response?.json, ["_links", "next"]) !== undefined || total > items;
}
