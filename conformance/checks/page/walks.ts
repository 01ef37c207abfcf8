import { shortened } from "../../../src/text.ts";
import { type Breach, Skip } from "../../check.ts";
import {
  hrefOf,
  isComplete,
  isConclusive,
  isPage,
  keysOf,
  keysOnPages,
  limitIn,
  OFFSET_LINKS,
  type Page,
  placeOf,
  styleOf,
  totalOf,
  type Walk,
} from "../../observe/pages.ts";
import type { LimitedWalk } from "../../observe/paging.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { type Fact, factChecks, unlessPage, type WalkCase, walkCasesOf, wrong } from "./facts.ts";
import { counts, noPage, noWhole } from "./pages.ts";

const notFull = new Skip("no first page was full", "have two resources in a list");
const noOther = new Skip("no page links to another page", "have two resources in a list");
const single = new Skip("no collection has a second page", "have two resources in a list");
const noEnd = new Skip("no collection could be walked to its end");

/** Facts about whole walks. */
const FACTS: readonly Fact<WalkCase>[] = [
  {
    claim: "PAGE-01.accepted",
    title: "every limit from 1 to 100 is accepted",
    skip: noPage,
    of: ({ walk: { limit }, first, paging: { walks } }) => {
      // If the collection itself fails, its endpoint's requirement reports it.
      const plain = walks.find((one) => one.limit === undefined)?.pages[0];
      return limit !== undefined && isConclusive(first) && plain !== undefined && isPage(plain);
    },
    find: ({ walk: { limit }, first }) => unlessPage(first, `200 for limit=${limit}`),
  },
  {
    claim: "PAGE-01.honoured",
    title: "a limit from 1 to 100 is not replaced by a smaller one",
    skip: notFull,
    of: ({ walk, first, paging: { keys } }) => isPage(first) && Number(walk.limit) < keys.length,
    find: ({ walk: { limit = 0, pages }, first }) => {
      const other = replaced(limit, pages, 5);
      // A page may have fewer items than its limit: that decides nothing.
      if (!other) return first.items.length < limit ? undefined : [];
      const actual = `${other.items.length} on each of ${pages.length - 1} pages`;
      return wrong(other, "", `up to ${limit} items`, actual);
    },
  },
  {
    claim: "PAGE-05.present",
    title: "next leads to a page with more resources",
    skip: single,
    find: ({ walk }) => leadsOn(walk),
  },
  {
    claim: "PAGE-05.present",
    title: "a page has a next link while there are more resources",
    skip: single,
    of: ({ walk }) => isComplete(walk),
    find: (one) => {
      const { keys } = one.paging;
      const { limit = keys.length, pages } = one.walk;
      const { reached, missing, shown } = missedBy(one);
      const last = pages.at(-1);
      // Only the beginning of the list was reached.
      if (last && missing !== undefined && keys[reached] === missing) {
        return wrong(
          last,
          "/_links",
          "a next link, because there are more resources",
          "none",
          shown,
        );
      }
      // A list that fits on one page has no next link.
      return limit >= keys.length && pages.length < 2 ? undefined : [];
    },
  },
  {
    claim: "PAGE-05.absent",
    title: "the last page has no next link",
    skip: noEnd,
    of: ({ walk }) => isComplete(walk) || isEndless(walk),
    find: ({ walk }) => endsLate(walk),
  },
  // PAGE-11: Walking next from the first page reaches every resource exactly once.
  {
    claim: "PAGE-11.once",
    title: "walking next returns no resource twice",
    skip: single,
    of: ({ walk }) => keysOnPages(walk).length > 1,
    find: ({ walk }) => repeated(walk),
  },
  {
    claim: "PAGE-11.every",
    title: "walking next returns every resource, at every limit",
    skip: single,
    of: ({ walk, paging: { keys } }) => isComplete(walk) && keys.length > 1,
    find: (one) => {
      const { reached, missing, shown } = missedBy(one);
      const last = one.walk.pages.at(-1);
      if (missing === undefined || !last) return [];
      const expected = `all ${one.paging.keys.length} resources`;
      const actual = `${reached}: ${shortened(missing, MAX_KEY)} is missing`;
      return wrong(last, "/_links", expected, actual, shown);
    },
  },
  {
    claim: "PAGE-12.total",
    title: "walking next returns as many resources as totalItems",
    skip: noWhole,
    of: ({ walk, first }) =>
      isComplete(walk) && styleOf(walk) === "offset-style" && typeof totalOf(first) === "number",
    find: ({ walk, first }) => counts(first, keysOnPages(walk).length),
  },
  // PAGE-15: A page reached by a link keeps the limit (and any filter) of the page it came from.
  {
    claim: "PAGE-15.next",
    title: "a page reached by a link keeps the limit",
    skip: noOther,
    of: hasOwnLimit,
    find: nextKeepsLimit,
  },
  {
    claim: "PAGE-15.others",
    title: "a page reached by first, last or prev keeps the limit",
    skip: noOther,
    of: hasOwnLimit,
    find: othersKeepLimit,
  },
];

export const walkFacts = factChecks(walkCasesOf, FACTS);

/**
 * Detects a limit that was replaced by a smaller one. A page may have fewer items than its limit,
 * but if all pages except the last have the same smaller number of items, they have another limit.
 *
 * @param pages The pages that the smaller limit may apply to.
 * @param least The number of pages needed to conclude it.
 */
function replaced(limit: number, pages: readonly Page[], least: number): Page | undefined {
  const full = pages.filter(isPage).slice(0, -1);
  const [first] = full;
  if (!first || full.length < least || first.items.length >= limit) return undefined;
  return full.every(({ items }) => items.length === first.items.length) ? first : undefined;
}

const hasResources = ({ items }: Page) => items.length > 0;

function hasOwnLimit({ walk: { limit }, first }: WalkCase): boolean {
  return limit !== undefined && isPage(first);
}

function nextKeepsLimit({ walk, first }: WalkCase): Breach[] | undefined {
  // Without a limit in the link, a short last page shows nothing.
  const { limit = 0 } = walk;
  const shown = walk.pages
    .slice(1)
    .filter(isPage)
    .filter((page) => {
      const isShort = placeOf(walk, page) === "last-page" && page.items.length <= limit;
      return limitIn(page.exchange.request.url) !== undefined || !isShort;
    })
    .map((page) => longerThan(limit, page, first));
  const isFull = first.items.length === limit;
  const other = isFull ? replaced(limit, walk.pages.filter(hasResources).slice(1), 1) : undefined;
  if (other) {
    const expected = `${limit} items, as on the first page`;
    shown.push(wrong(other, "/_links", expected, `${other.items.length} items`, first));
  }
  const named = namedLimits(walk, ["next"]);
  return shown.length + named.length === 0 ? undefined : [...shown, ...named].flat();
}

async function othersKeepLimit({ walk, first, paging }: WalkCase): Promise<Breach[] | undefined> {
  const { limit = 0, pages } = walk;
  const found = namedLimits(walk, OFFSET_LINKS);
  for (const name of OFFSET_LINKS) {
    const href = hrefOf(pages.at(-1) ?? first, name);
    const page = href === undefined ? undefined : await paging.follow(href);
    if (page && isPage(page) && paging.keys.length > limit) {
      found.push(longerThan(limit, page, first));
    }
  }
  return found.length === 0 ? undefined : found.flat();
}

/** The breaches of each link that names a limit. */
function namedLimits(
  { limit, pages }: LimitedWalk,
  names: readonly ("next" | (typeof OFFSET_LINKS)[number])[],
): Breach[][] {
  return pages.flatMap((page) =>
    names.flatMap((name): Breach[][] => {
      const named = limitIn(hrefOf(page, name) ?? "");
      if (named === undefined) return [];
      if (named === limit) return [[]];
      return [wrong(page, `/_links/${name}/href`, `limit=${limit}`, `limit=${named}`)];
    }),
  );
}

function longerThan(limit: number, page: Page, first: Page): Breach[] {
  const { length } = page.items;
  // If the request had the limit, PAGE-01 reports the page.
  if (length <= limit || limitIn(page.exchange.request.url) === limit) return [];
  const expected = `at most ${limit} items, as on the first page`;
  return wrong(page, "", expected, `${length} items`, first);
}

/** Each next link must lead to a page, and each page with items must have new ones. */
function leadsOn({ pages, end }: LimitedWalk): Breach[] | undefined {
  const seen = new Set(pages.slice(0, 1).flatMap(keysOf));
  let isShown = false;
  for (const [i, page] of pages.entries()) {
    if (i === 0 || !isConclusive(page)) continue;
    isShown = true;
    const keys = keysOf(page);
    const isOld = keys.length > 0 && keys.every((key) => seen.has(key));
    if (!isPage(page) || isOld) {
      const actual = isOld ? "a page of items from earlier pages" : outcomeOf(page.exchange);
      return wrong(page, "/_links", "the next page", actual, pages[i - 1]);
    }
    for (const key of keys) seen.add(key);
  }
  const last = pages.at(-1);
  if (end.kind !== "cycle" || !last) return isShown ? [] : undefined;
  const actual = `a link to an earlier page: ${end.href}`;
  return wrong(last, "/_links", "the next page", actual, pages.at(-2));
}

/** The number of resources that a walk reached, the first that it missed, and where that is. */
function missedBy({ walk, paging: { keys, walks } }: WalkCase) {
  const own = new Set(keysOnPages(walk));
  const missing = keys.find((key) => !own.has(key));
  const all = missing === undefined ? [] : walks.flatMap(({ pages }) => pages);
  const shown = all.find((page) => keysOf(page).includes(missing ?? ""));
  return { reached: own.size, missing, shown };
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
  const [last, after] = pages.slice(Math.max(filled, 0));
  if (!last || hrefOf(last, "next") === undefined) return [];
  const expected = "no next link, because there are no more resources";
  return wrong(last, "/_links/next", expected, "present", after);
}

export function repeated({ pages, end }: Walk): Breach[] {
  const seen = new Map<string, Page>();
  for (const page of pages) {
    for (const key of keysOf(page)) {
      const before = seen.get(key);
      const actual = `${shortened(key, MAX_KEY)} occurs twice`;
      if (before) return wrong(page, "/_links", "each resource once", actual, before);
      seen.set(key, page);
    }
  }
  const last = pages.at(-1);
  if (end.kind !== "cycle" || !last) return [];
  return wrong(last, "/_links", "a walk that ends", `a link to an earlier page: ${end.href}`);
}

/** The most characters of a key in a message: a key may be a whole item. */
const MAX_KEY = 61;
