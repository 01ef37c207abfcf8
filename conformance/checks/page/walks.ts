import { type Breach, type Check, Skip } from "../../check.ts";
import {
  checkPages,
  isComplete,
  keysOnPages,
  type LimitedWalk,
  type Paging,
  type PagingResult,
} from "../../observe/paging.ts";
import {
  hrefOf,
  isConclusive,
  isOffset,
  isPage,
  keysOf,
  totalOf,
} from "../../observe/paging-page.ts";
import type { Page } from "../../observe/walk.ts";
import { outcomeOf } from "../../wire/exchange.ts";

const single = new Skip("no collection has a second page", "have two resources in a list");
const noOffset = new Skip("no collection in offset style could be walked to its end");

/** Walks from the first page by next. */
export const walks: readonly Check[] = [
  // PAGE-05: _links.next leads to the next page and is absent when there are no more resources.
  {
    claims: ["PAGE-05.present"],
    title: "next leads to a page with more resources",
    requires: ["state"],
    run: (session) => checkPages(session, single, ({ walks }) => sum(walks.map(leadsOn))),
  },
  {
    claims: ["PAGE-05.present"],
    title: "a page has a next link while there are more resources",
    requires: ["state"],
    run: (session) => checkPages(session, single, (paging) => perWalk(paging, endsEarly)),
  },
  {
    claims: ["PAGE-05.absent"],
    title: "the last page has no next link",
    requires: ["state"],
    run: (session) => {
      const skip = new Skip("no collection could be walked to its end");
      return checkPages(session, skip, ({ walks }) => {
        const toEnd = walks.filter((walk) => isComplete(walk) || isEndless(walk));
        return { assertions: toEnd.length, breaches: toEnd.flatMap(endsLate) };
      });
    },
  },
  // PAGE-11: Walking next from the first page reaches every resource exactly once.
  {
    claims: ["PAGE-11.once"],
    title: "walking next returns no resource twice",
    requires: ["state"],
    run: (session) =>
      checkPages(session, single, ({ walks }) => {
        const long = walks.filter(({ pages }) => pages.filter(isPage).length > 1);
        return { assertions: long.length, breaches: long.flatMap(repeated) };
      }),
  },
  {
    claims: ["PAGE-11.every"],
    title: "walking next returns every resource, at every limit",
    requires: ["state"],
    run: (session) => checkPages(session, single, (paging) => perWalk(paging, missed)),
  },
  // PAGE-08: Offset style has totalItems, the number of resources matching the filters.
  {
    claims: ["PAGE-08.counts"],
    title: "totalItems of every page is the number of all resources",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noOffset, ({ operation, walks, keys }) => {
        if (!walks.some(isComplete)) return NOTHING;
        const pages = walks.flatMap(({ pages }) => pages).filter(isPage);
        const counting = pages.filter(
          (page) => isOffset(operation, page) && typeof totalOf(page) === "number",
        );
        return { assertions: counting.length, breaches: counting.flatMap(counts(keys.length)) };
      }),
  },
  // PAGE-12: Under offset style, the walk's count equals totalItems; last leads to the page that
  // has no next; prev of page n leads back to page n-1.
  {
    claims: ["PAGE-12.total"],
    title: "walking next returns as many resources as totalItems",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noOffset, ({ operation, walks }) => {
        const whole = walks
          .filter(isComplete)
          .filter(({ pages: [first] }) => first && isOffset(operation, first));
        const counting = whole.filter(
          ({ pages: [first] }) => first && typeof totalOf(first) === "number",
        );
        const breaches = counting.flatMap((walk) =>
          walk.pages.slice(0, 1).flatMap(counts(keysOnPages(walk).length)),
        );
        return { assertions: counting.length, breaches };
      }),
  },
];

const NOTHING: PagingResult = { assertions: 0, breaches: [] };

function sum(results: readonly PagingResult[]): PagingResult {
  return {
    assertions: results.reduce((all, { assertions }) => all + assertions, 0),
    breaches: results.flatMap(({ breaches }) => breaches),
  };
}

/** Compares each complete walk with the resources of all walks. */
function perWalk(
  { walks, keys }: Paging,
  findBreaches: (
    walk: LimitedWalk,
    keys: readonly string[],
    walks: readonly LimitedWalk[],
  ) => Breach[],
): PagingResult {
  const whole = walks.filter(isComplete);
  if (keys.length < 2) return NOTHING;
  return {
    assertions: whole.length,
    breaches: whole.flatMap((walk) => findBreaches(walk, keys, walks)),
  };
}

/** Each next link must lead to a page, and each page with items must have new ones. */
function leadsOn({ pages, end }: LimitedWalk): PagingResult {
  const seen = new Set(pages.slice(0, 1).flatMap(keysOf));
  const breaches: Breach[] = [];
  const fail = (page: Page, from: Page | undefined, actual: string) => {
    const evidence = [page, ...(from ? [from] : [])].map(({ exchange }) => exchange);
    const [first = page.exchange, ...rest] = evidence;
    breaches.push({ expected: "the next page", actual, evidence: [first, ...rest] });
  };
  let assertions = 0;
  for (const [i, page] of pages.entries()) {
    if (i === 0 || !isConclusive(page)) continue;
    assertions += 1;
    const from = pages[i - 1];
    const keys = keysOf(page);
    if (!isPage(page)) {
      fail(page, from, outcomeOf(page.exchange));
    } else if (keys.length > 0 && keys.every((key) => seen.has(key))) {
      fail(page, from, "a page of items from earlier pages");
    }
    for (const key of keys) seen.add(key);
  }
  const [last, before] = [pages.at(-1), pages.at(-2)];
  if (end.kind === "cycle" && last) fail(last, before, `a link to an earlier page: ${end.href}`);
  // Report an endless walk only once.
  return { assertions, breaches: breaches.slice(0, 1) };
}

/** Reports a walk that ended while others continued after the same resources. */
function endsEarly(walk: LimitedWalk, keys: readonly string[], walks: readonly LimitedWalk[]) {
  const own = new Set(keysOnPages(walk));
  const isBeginning = keys.slice(0, own.size).every((key) => own.has(key));
  const last = walk.pages.at(-1);
  if (own.size >= keys.length || !isBeginning || !last) return [];
  const further = walks.find((other) => keysOnPages(other).some((key) => !own.has(key)));
  const [beyond] = further?.pages.filter((page) => keysOf(page).some((key) => !own.has(key))) ?? [];
  return [breachOf(last, beyond, "a next link, because there are more resources", "none")];
}

/** Whether a walk was stopped after empty pages. */
function isEndless({ pages }: LimitedWalk): boolean {
  return (
    pages.length > 2 && pages.slice(-2).every((page) => isPage(page) && page.items.length === 0)
  );
}

/** Reports empty pages at the end: the page before them must have no next. */
function endsLate({ pages }: LimitedWalk): Breach[] {
  const filled = pages.findLastIndex(({ items }) => items.length > 0);
  const last = pages[Math.max(filled, 0)];
  if (!last || hrefOf(last, "next") === undefined) return [];
  const after = pages[Math.max(filled, 0) + 1];
  return [
    breachOf(
      last,
      after,
      "no next link, because there are no more resources",
      "present",
      "/_links/next",
    ),
  ];
}

function repeated({ pages, end }: LimitedWalk): Breach[] {
  const seen = new Map<string, Page>();
  for (const page of pages) {
    for (const key of keysOf(page)) {
      const before = seen.get(key);
      if (before) {
        const expected = "each resource once";
        const again = before === page ? undefined : before;
        return [breachOf(page, again, expected, `${shortened(key)} occurs twice`)];
      }
      seen.set(key, page);
    }
  }
  const last = pages.at(-1);
  if (end.kind !== "cycle" || !last) return [];
  return [breachOf(last, undefined, "a walk that ends", `a link to an earlier page: ${end.href}`)];
}

function missed(walk: LimitedWalk, keys: readonly string[], walks: readonly LimitedWalk[]) {
  const own = new Set(keysOnPages(walk));
  const missing = keys.filter((key) => !own.has(key));
  const [first] = missing;
  const last = walk.pages.at(-1);
  if (first === undefined || !last) return [];
  const shown = walks.flatMap(({ pages }) => pages).find((page) => keysOf(page).includes(first));
  const expected = `all ${keys.length} resources`;
  const actual = `${own.size}: ${shortened(first)} is missing`;
  return [breachOf(last, shown, expected, actual)];
}

const counts =
  (count: number) =>
  (page: Page): Breach[] => {
    const total = totalOf(page);
    if (total === count) return [];
    const { exchange } = page;
    return [
      { path: "/totalItems", expected: `${count}`, actual: `${total}`, evidence: [exchange] },
    ];
  };

function breachOf(
  { exchange }: Page,
  compared: Page | undefined,
  expected: string,
  actual: string,
  path = "/_links",
): Breach {
  const evidence = [exchange, ...(compared ? [compared.exchange] : [])] as const;
  return { path, expected, actual, evidence };
}

/** Shortens a key for a message: a key may be a whole item. */
function shortened(key: string): string {
  return key.length > 60 ? `${key.slice(0, 60)}…` : key;
}
