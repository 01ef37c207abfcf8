import type { Situation } from "../../../generated/requirements.ts";
import { maxPageSize } from "../../../generated/resources.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { checkInvalidLimit, invalidLimits } from "../../observe/limit.ts";
import { collections } from "../../observe/operations.ts";
import { checkPages, type LimitedWalk, type Paging } from "../../observe/paging.ts";
import {
  hrefOf,
  isConclusive,
  isPage,
  limitIn,
  limitOf,
  OFFSET_LINKS,
} from "../../observe/paging-page.ts";
import type { Page } from "../../observe/walk.ts";
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
    claims: ["PAGE-01.at-most", "PAGE-01.honoured"],
    title: "a page never has more items than its limit",
    requires: ["state"],
    run: (session) =>
      checkPages(session, nothing, ({ walks }) => {
        const pages = walks.flatMap(({ pages }) => pages).filter(isPage);
        const limited = pages.filter(({ exchange }) => isLimit(limitOf(exchange)));
        return { assertions: limited.length, breaches: limited.flatMap(tooLong) };
      }),
  },
  {
    claims: ["PAGE-01.accepted"],
    title: "every limit from 1 to 100 is accepted",
    requires: ["state"],
    run: (session) =>
      checkPages(session, nothing, ({ walks }) => {
        // If the collection itself fails, its endpoint's requirement reports it.
        const plain = walks.find(({ limit }) => limit === undefined)?.pages[0];
        if (!plain || !isPage(plain)) return { assertions: 0, breaches: [] };
        const limited = walks.filter(
          ({ limit, pages: [page] }) => limit !== undefined && page && isConclusive(page),
        );
        return { assertions: limited.length, breaches: limited.flatMap(notTaken) };
      }),
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
      return checkPages(session, skip, keepsLimit);
    },
  },
];

function isLimit(limit: number | undefined): limit is number {
  return limit !== undefined && limit >= 1 && limit <= maxPageSize;
}

function tooLong({ exchange, items }: Page): Breach[] {
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

/** Checks the size of the linked pages and the limit in the link itself. */
async function keepsLimit({ walks, follow }: Paging) {
  const breaches: Breach[] = [];
  let assertions = 0;
  for (const walk of walks) {
    const { limit, pages } = walk;
    const [first] = pages;
    if (limit === undefined || !first || !isPage(first)) continue;
    const next = pages.slice(1).filter(isPage);
    const ends = await Promise.all(
      OFFSET_LINKS.map((name) => hrefOf(pages.at(-1) ?? first, name)).map((href) =>
        href === undefined ? undefined : follow(href),
      ),
    );
    const reached = [...next, ...ends.filter((page) => page !== undefined).filter(isPage)];
    assertions += reached.length;
    breaches.push(...reached.flatMap((page) => longerThan(limit, page, first)));
    breaches.push(...pages.flatMap((page) => namesOther(limit, page)));
    breaches.push(...shorterThan(walk));
  }
  return { assertions, breaches };
}

function longerThan(limit: number, { exchange, items }: Page, first: Page): Breach[] {
  // If the request had the limit, PAGE-01 reports the page.
  if (items.length <= limit || limitOf(exchange) === limit) return [];
  const expected = `at most ${limit} items, as on the first page`;
  const evidence = [exchange, first.exchange] as const;
  return [{ expected, actual: `${items.length} items`, evidence }];
}

function namesOther(limit: number, page: Page): Breach[] {
  return (["next", ...OFFSET_LINKS] as const).flatMap((name): Breach[] => {
    const named = limitIn(hrefOf(page, name) ?? "");
    if (named === undefined || named === limit) return [];
    const path = `/_links/${name}/href`;
    const evidence = [page.exchange] as const;
    return [{ path, expected: `limit=${limit}`, actual: `limit=${named}`, evidence }];
  });
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
