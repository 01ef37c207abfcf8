import type { Situation } from "../../../generated/requirements.ts";
import { maxPageSize } from "../../../generated/resources.ts";
import type { Assertions } from "../../assert.ts";
import { type Breach, type Check, type ClaimBreach, type Found, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { collections } from "../../observe/operations.ts";
import {
  hrefOf,
  isConclusive,
  isPage,
  limitIn,
  limitOf,
  OFFSET_LINKS,
  type Page,
  placeOf,
  situationOfLimit,
  styleOf,
} from "../../observe/pages.ts";
import {
  checkInvalidLimit,
  checkPages,
  invalidLimits,
  type LimitedWalk,
  type Paging,
} from "../../observe/paging.ts";
import { outcomeOf } from "../../wire/exchange.ts";

const nothing = new Skip("no collection returned a page", "have a collection that returns 200");

/** The situations of invalid limits. */
const LIMITS: Readonly<Record<string, Situation>> = {
  "0": "limit-0",
  "101": "limit-101",
  "-1": "limit-negative",
  "1.5": "limit-fraction",
  ten: "limit-text",
};

export const limits: readonly Check[] = [
  // PAGE-01: limit is an integer from 1 to 100; a page never has more items than limit.
  {
    claims: ["PAGE-01.at-most"],
    title: "a page never has more items than its limit",
    requires: ["state"],
    run: (session) =>
      checkPages(session, nothing, ({ walks, keys }, assertions) => {
        for (const page of walks.flatMap(({ pages }) => pages).filter(isPage)) {
          const limit = limitOf(page.exchange);
          if (!isLimit(limit)) continue;
          // A shorter list can't exceed the limit.
          const situations = keys.length > limit ? situationOfLimit(limit) : [];
          assertions.of("PAGE-01.at-most", ...situations).all(tooLong(page));
        }
      }),
  },
  {
    claims: ["PAGE-01.accepted"],
    title: "every limit from 1 to 100 is accepted",
    requires: ["state"],
    run: (session) =>
      checkPages(session, nothing, ({ walks }, assertions) => {
        // If the collection itself fails, its endpoint's requirement reports it.
        const plain = walks.find(({ limit }) => limit === undefined)?.pages[0];
        if (!plain || !isPage(plain)) return;
        for (const walk of walks) {
          const { limit, pages } = walk;
          if (limit === undefined || !pages[0] || !isConclusive(pages[0])) continue;
          assertions.of("PAGE-01.accepted", ...situationOfLimit(limit)).all(notTaken(walk));
        }
      }),
  },
  {
    claims: ["PAGE-01.honoured"],
    title: "a limit from 1 to 100 is not replaced by a smaller one",
    requires: ["state"],
    run: (session) => {
      const skip = new Skip("no first page was full", "have two resources in a list");
      return checkPages(session, skip, ({ walks, keys }, assertions) => {
        for (const walk of walks) {
          const { limit = keys.length, pages } = walk;
          const [first] = pages;
          if (limit >= keys.length || !first || !isPage(first)) continue;
          const breaches = replaced(walk);
          // A page may have fewer items than its limit: that decides nothing.
          if (first.items.length < limit && breaches.length === 0) continue;
          assertions.of("PAGE-01.honoured", ...situationOfLimit(limit)).all(breaches);
        }
      });
    },
  },
  ...invalidLimits.map((limit): Check => {
    return {
      claims: ["PAGE-02.not-honoured"],
      title: `the invalid limit '${limit}' is not honoured`,
      requires: [],
      run: async (session) => {
        const feed = await feedOf(session);
        const requested = collections.filter((operation) => feed.of(operation)[0]?.isJson);
        const results = await Promise.all(
          requested.map((operation) => {
            const isEmpty = feed.walks.get(operation)?.pages[0]?.items.length === 0;
            return checkInvalidLimit(session, operation, limit, isEmpty);
          }),
        );
        const decided = results.filter((look) => look !== undefined);
        const situation = LIMITS[limit];
        const situations = situation ? [situation] : [];
        const breaches = decided.flat();
        if (decided.length > 0) return { assertions: decided.length, breaches, situations };
        const hint = "have more than 100 resources in a list";
        return session.skip("no collection returned a conclusive response", hint);
      },
    };
  }),
  // PAGE-15: A page reached by a link keeps the limit (and any filter) of the page it came from.
  {
    claims: ["PAGE-15.next", "PAGE-15.others"],
    title: "a page reached by a link keeps the limit",
    requires: ["state"],
    run: (session) => {
      const hint = "have two resources in a list";
      const skip = new Skip("no page links to another page", hint);
      // keepsLimit names the claim of each assertion.
      return checkPages(session, skip, ({ walks, keys, follow }, assertions) =>
        Promise.all(walks.map((walk) => keepsLimit(walk, keys, follow, assertions))),
      ) as Promise<Found<ClaimBreach> | Skip>;
    },
  },
];

function isLimit(limit: number | undefined): limit is number {
  return limit !== undefined && limit >= 1 && limit <= maxPageSize;
}

export function tooLong({ exchange, items }: Page): Breach[] {
  const limit = limitOf(exchange) ?? maxPageSize;
  if (items.length <= limit) return [];
  const expected = `at most ${limit} items`;
  return [{ expected, actual: `${items.length} items`, evidence: [exchange] }];
}

function notTaken({ limit, pages: [page] }: LimitedWalk): Breach[] {
  if (!page || isPage(page)) return [];
  const { exchange } = page;
  return [
    { expected: `200 for limit=${limit}`, actual: outcomeOf(exchange), evidence: [exchange] },
  ];
}

/** Pages needed to conclude that they all have another limit. */
const MIN_PAGES = 5;

/** Detects a smaller limit: all pages but the last have the same smaller number of items. */
function replaced({ limit = 0, pages }: LimitedWalk): Breach[] {
  const full = pages.slice(0, -1).filter(isPage);
  const [first] = full;
  const count = first?.items.length ?? 0;
  if (!first || full.length < MIN_PAGES || count >= limit) return [];
  if (full.some(({ items }) => items.length !== count)) return [];
  const actual = `${count} on each of ${full.length} pages`;
  return [{ expected: `up to ${limit} items`, actual, evidence: [first.exchange] }];
}

/** Checks the size of the linked pages and the limit in the link itself. */
async function keepsLimit(
  walk: LimitedWalk,
  keys: Paging["keys"],
  follow: Paging["follow"],
  assertions: Assertions,
): Promise<void> {
  const { limit, pages } = walk;
  const [first] = pages;
  if (limit === undefined || !first || !isPage(first)) return;
  const next = assertions.of("PAGE-15.next", styleOf(walk));
  const others = assertions.of("PAGE-15.others", styleOf(walk));
  for (const page of pages.slice(1).filter(isPage)) {
    // Without a limit in the link, a short last page shows nothing.
    const isShown = limitOf(page.exchange) !== undefined || placeOf(walk, page) === "middle-page";
    if (isShown) next.all(longerThan(limit, page, first));
  }
  const shorter = shorterThan(walk);
  if (shorter.length > 0) next.all(shorter);
  for (const page of pages) {
    for (const name of ["next", ...OFFSET_LINKS] as const) {
      const named = limitIn(hrefOf(page, name) ?? "");
      if (named === undefined) continue;
      (name === "next" ? next : others).check(named === limit, {
        path: `/_links/${name}/href`,
        ...{ expected: `limit=${limit}`, actual: `limit=${named}`, evidence: [page.exchange] },
      });
    }
  }
  for (const name of OFFSET_LINKS) {
    const href = hrefOf(pages.at(-1) ?? first, name);
    const page = href === undefined ? undefined : await follow(href);
    if (page && isPage(page) && keys.length > limit) others.all(longerThan(limit, page, first));
  }
}

function longerThan(limit: number, { exchange, items }: Page, first: Page): Breach[] {
  // If the request had the limit, PAGE-01 reports the page.
  if (items.length <= limit || limitOf(exchange) === limit) return [];
  const expected = `at most ${limit} items, as on the first page`;
  const evidence = [exchange, first.exchange] as const;
  return [{ expected, actual: `${items.length} items`, evidence }];
}

/**
 * Detects a changed limit by the page sizes. A page may have fewer items than its limit. But if the
 * first page is full and all later pages except the last have the same smaller size, the limit
 * changed.
 */
function shorterThan({ limit = 0, pages }: LimitedWalk): Breach[] {
  const [first, second, ...rest] = pages.filter((page) => isPage(page) && page.items.length > 0);
  if (!first || !second || rest.length === 0 || first.items.length !== limit) return [];
  const middle = [second, ...rest.slice(0, -1)];
  const lengths = new Set(middle.map(({ items }) => items.length));
  if (lengths.size > 1 || second.items.length >= limit) return [];
  const expected = `${limit} items, as on the first page`;
  const evidence = [second.exchange, first.exchange] as const;
  return [{ expected, actual: `${second.items.length} items`, evidence }];
}
