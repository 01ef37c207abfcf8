import { operations } from "../../generated/operations.ts";
import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { maxPageSize } from "../../generated/resources.ts";
import { Assertions } from "../assert.ts";
import { type Breach, type Check, type Found, type Session, Skip } from "../check.ts";
import { Aborted, unlessSkipped } from "../skip.ts";
import { feedOf } from "./crawl.ts";
import { type CollectionOperation, collections } from "./operations.ts";
import {
  hasItems,
  hrefOf,
  isComplete,
  isPage,
  itemsOf,
  keysOf,
  keysOnPages,
  type Page,
  styleOf,
  totalOf,
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

/** The looks at a list, as suffixes of names. Each look fetches every page again. */
const TIMES = ["", ", again", ", a third time", ", a last time"] as const;

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

function isReadable({ walks }: Paging): boolean {
  return walks.every(({ pages }) => pages.filter(isPage).every(hasItems));
}

/** A fact about each case that a list shows, such as each of its pages or of its walks. */
export interface Fact<Case> {
  readonly claim: ClaimId;
  readonly title: string;
  /** The result if no list shows a case. */
  readonly skip: Skip;
  /** Whether a case is one of this fact; default: all are. */
  readonly of?: (one: Case) => boolean;
  /** The breaches of a case; undefined if it is inconclusive. */
  readonly find: (
    one: Case,
  ) => readonly Breach[] | undefined | Promise<readonly Breach[] | undefined>;
}

/** A case, with what it shows. */
interface SituatedCase {
  readonly situations: readonly Situation[];
}

/**
 * Makes a check of each fact, on all lists. Others may change a list while it is walked, and pages
 * from before and after a change contradict each other. Therefore a breach counts only if a second
 * look at the whole list shows the same again, or if no look shows a change.
 */
export function factChecks<Case extends SituatedCase>(
  casesOf: (paging: Paging) => readonly Case[] | Promise<readonly Case[]>,
  facts: readonly Fact<Case>[],
): Check[] {
  return facts.map(({ claim, title, skip, of = () => true, find }) => {
    const inspect = async (paging: Paging) => {
      const cases = (await casesOf(paging)).filter(of);
      const assertions = new Assertions();
      const found = await Promise.all(cases.map(find));
      for (const [i, { situations }] of cases.entries()) {
        const breaches = found[i];
        if (breaches) assertions.of(claim, ...situations).all(breaches);
      }
      const result = assertions.result("");
      return result instanceof Skip ? { assertions: 0, breaches: [] } : result;
    };
    return {
      claims: [claim],
      title,
      requires: ["state"],
      run: async (session) => {
        const readable = (await pagingsOf(session)).filter(isReadable);
        const results = await Promise.all(
          readable.map(({ operation }) => lookAt(session, operation, inspect)),
        );
        const all = combined(
          results.flatMap((one) => (one instanceof Skip ? [] : [one])),
          claim,
        );
        const unsteady = results.find((one) => one instanceof Skip);
        if (unsteady && all.breaches.length === 0) return unsteady;
        return all.assertions === 0 ? skip : all;
      },
    };
  });
}

/** Looks at a collection until the result is certain. */
async function lookAt(
  session: Session,
  operation: CollectionOperation,
  inspect: (paging: Paging) => Promise<Found>,
): Promise<Found | Skip> {
  const looks: Paging[] = [];
  let before: string | undefined;
  for (const time of TIMES) {
    const paging = await pagingOf(session, operation, time);
    const found = await inspect(paging);
    if (found.breaches.length === 0) return found;
    const shown = JSON.stringify([found.breaches.map(withoutEvidence), paging.walks.map(outline)]);
    if (shown === before) return found;
    before = shown;
    looks.push(paging);
    if (looks.length === TIMES.length && !hasChanged(looks)) return found;
  }
  const reason = `the list of ${operation} changed during ${looks.length} walks`;
  return new Aborted(reason, "run the suite when no other client changes the target's lists");
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

function combined(results: readonly Found[], claim: ClaimId): Found {
  const situations = results.flatMap(({ decided }) => [...(decided?.get(claim) ?? [])]);
  return {
    assertions: results.reduce((sum, each) => sum + each.assertions, 0),
    breaches: results.flatMap(({ breaches }) => breaches),
    situations: [...new Set(situations)],
  };
}
