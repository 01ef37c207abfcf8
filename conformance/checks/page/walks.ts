import type { Assertions } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import {
  hrefOf,
  isConclusive,
  isOffset,
  isPage,
  keysOf,
  type Page,
  placeOf,
  situationOfLimit,
  styleOf,
  totalOf,
  type Walk,
} from "../../observe/pages.ts";
import { checkPages, isComplete, keysOnPages, type LimitedWalk } from "../../observe/paging.ts";
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
    run: (session) =>
      checkPages(session, single, ({ walks }, assertions) => {
        for (const walk of walks) leadsOn(walk, assertions.of("PAGE-05.present", styleOf(walk)));
      }),
  },
  {
    claims: ["PAGE-05.present"],
    title: "a page has a next link while there are more resources",
    requires: ["state"],
    run: (session) =>
      checkPages(session, single, ({ walks, keys }, assertions) => {
        for (const walk of walks.filter(isComplete)) {
          const { limit = keys.length, pages } = walk;
          const breaches = endsEarly(walk, keys, walks);
          // A list that fits on one page has no next link.
          if (limit >= keys.length && pages.length < 2 && breaches.length === 0) continue;
          assertions.of("PAGE-05.present", styleOf(walk)).all(breaches);
        }
      }),
  },
  {
    claims: ["PAGE-05.absent"],
    title: "the last page has no next link",
    requires: ["state"],
    run: (session) => {
      const skip = new Skip("no collection could be walked to its end");
      return checkPages(session, skip, ({ walks }, assertions) => {
        for (const walk of walks.filter((one) => isComplete(one) || isEndless(one))) {
          const place = walk.pages.length > 1 ? "last-page" : "only-page";
          assertions.of("PAGE-05.absent", place).all(endsLate(walk));
        }
      });
    },
  },
  // PAGE-11: Walking next from the first page reaches every resource exactly once.
  {
    claims: ["PAGE-11.once"],
    title: "walking next returns no resource twice",
    requires: ["state"],
    run: (session) =>
      checkPages(session, single, ({ walks }, assertions) => {
        for (const walk of walks.filter((one) => keysOnPages(one).length > 1)) {
          const once = assertions.of("PAGE-11.once", ...situationOfLimit(walk.limit));
          once.all(repeated(walk));
        }
      }),
  },
  {
    claims: ["PAGE-11.every"],
    title: "walking next returns every resource, at every limit",
    requires: ["state"],
    run: (session) =>
      checkPages(session, single, ({ walks, keys }, assertions) => {
        if (keys.length < 2) return;
        for (const walk of walks.filter(isComplete)) {
          const every = assertions.of("PAGE-11.every", ...situationOfLimit(walk.limit));
          every.all(missed(walk, keys, walks));
        }
      }),
  },
  // PAGE-08: Offset style has totalItems, the number of resources matching the filters.
  {
    claims: ["PAGE-08.counts"],
    title: "totalItems of every page is the number of all resources",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noOffset, ({ operation, walks, keys }, assertions) => {
        if (!walks.some(isComplete)) return;
        for (const walk of walks) {
          for (const page of walk.pages.filter(isPage)) {
            if (!isOffset(operation, page) || typeof totalOf(page) !== "number") continue;
            const count = assertions.of("PAGE-08.counts", placeOf(walk, page));
            count.all(counts(keys.length)(page));
          }
        }
      }),
  },
  // PAGE-12: Under offset style, the walk's count equals totalItems; last leads to the page that
  // has no next; prev of page n leads back to page n-1.
  {
    claims: ["PAGE-12.total"],
    title: "walking next returns as many resources as totalItems",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noOffset, ({ walks }, assertions) => {
        for (const walk of walks.filter(isComplete)) {
          const [first] = walk.pages;
          if (!first || styleOf(walk) !== "offset-style") continue;
          if (typeof totalOf(first) !== "number") continue;
          assertions.of("PAGE-12.total").all(counts(keysOnPages(walk).length)(first));
        }
      }),
  },
];

/** Each next link must lead to a page, and each page with items must have new ones. */
function leadsOn({ pages, end }: LimitedWalk, present: Assertions): void {
  const seen = new Set(pages.slice(0, 1).flatMap(keysOf));
  const breaches: Breach[] = [];
  const fail = (page: Page, from: Page | undefined, actual: string) => {
    const evidence = [page, ...(from ? [from] : [])].map(({ exchange }) => exchange);
    const [first = page.exchange, ...rest] = evidence;
    breaches.push({ expected: "the next page", actual, evidence: [first, ...rest] });
  };
  for (const [i, page] of pages.entries()) {
    if (i === 0 || !isConclusive(page)) continue;
    present.all([]);
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
  if (breaches.length > 0) present.all(breaches.slice(0, 1));
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

export function repeated({ pages, end }: Walk): Breach[] {
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
