import { maxPageSize } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { type Breach, Skip } from "../../check.ts";
import { operationAt } from "../../observe/operations.ts";
import {
  beginsAlike,
  hrefOf,
  isComplete,
  isConclusive,
  isOffset,
  isPage,
  isSamePage,
  keysOf,
  keysOnPages,
  limitIn,
  OFFSET_LINKS,
  type Page,
  type PageLink,
  styleOf,
  totalOf,
} from "../../observe/pages.ts";
import type { LimitedWalk } from "../../observe/paging.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { type Fact, factChecks, type PageCase, pageCasesOf, unlessPage, wrong } from "./facts.ts";

export const noPage = new Skip(
  "no collection returned a page",
  "have a collection that returns 200",
);
const noOffset = new Skip("no collection is in offset style");
export const noWhole = new Skip("no collection in offset style could be walked to its end");
const noCursor = new Skip("no collection in cursor style returned a page");
const empty = new Skip(
  "no collection in offset style has a resource",
  "have a resource in a list in offset style",
);
const single = new Skip(
  "no collection in offset style has a second page",
  "have two resources in a list in offset style",
);

/** Facts about single pages. The links are those of PAGE-04 to PAGE-09, except next. */
const FACTS: readonly Fact<PageCase>[] = [
  // PAGE-01: limit is an integer from 1 to 100; a page never has more items than limit.
  {
    claim: "PAGE-01.at-most",
    title: "a page never has more items than its limit",
    skip: noPage,
    of: ({ page }) => {
      const limit = limitIn(page.exchange.request.url) ?? 0;
      return isPage(page) && limit >= 1 && limit <= maxPageSize;
    },
    find: ({ page }) => tooLong(page),
  },
  // PAGE-04: _links.self is always present.
  {
    claim: "PAGE-04.self",
    title: "_links.self is always present",
    skip: noPage,
    of: (one) => isPage(one.page) && !isBehind(one),
    find: (one) => absent(one, "self"),
  },
  {
    claim: "PAGE-04.this-collection",
    title: "self leads to the page's own collection",
    skip: noPage,
    of: ({ page, isSampled }) => isPage(page) && isSampled,
    find: async (one) => {
      const { operation } = one.paging;
      const href = hrefOf(one.page, "self");
      const leadsTo = href === undefined ? undefined : operationAt(href);
      if (leadsTo !== undefined && leadsTo !== operation) {
        return wrong(one.page, "/_links/self", `a link to ${operation}`, href ?? "");
      }
      return await leads(one, "self", "a page", isPage);
    },
  },
  // PAGE-05: _links.next leads to the next page and is absent when there are no more resources.
  {
    claim: "PAGE-05.present",
    title: "a page at any offset leads on while there are more resources",
    skip: empty,
    of: (one) => isInPlace(one) && endOf(one) < one.order.length,
    find: (one) => {
      const following = one.order[endOf(one)] ?? "";
      return owes(one, "next", `a page with ${following}`, (next) =>
        keysOf(next).includes(following),
      );
    },
  },
  {
    claim: "PAGE-05.absent",
    title: "a page that reaches the end, or lies behind it, has no next link",
    skip: noWhole,
    of: (one) => isPage(one.page) && reachesEnd(one),
    find: (one) => present(one, "next"),
  },
  // PAGE-06: Offset style has _links.first and _links.last.
  {
    claim: "PAGE-06.first",
    title: "first leads to the first page",
    skip: noOffset,
    of: isOffsetPage,
    // PAGE-15 reports a lost limit.
    find: (one) =>
      owes(one, "first", "the first page", (first) =>
        one.walk.pages.slice(0, 1).every((page) => beginsAlike(first, page)),
      ),
  },
  {
    claim: "PAGE-06.last",
    title: "last leads to a page with resources",
    skip: noOffset,
    of: isOffsetPage,
    find: (one) =>
      owes(one, "last", "a page with resources", ({ items }) => {
        return items.length > 0 || one.paging.keys.length === 0;
      }),
  },
  // PAGE-07: Offset style has _links.prev except on the first page.
  {
    claim: "PAGE-07.absent",
    title: "the first page in offset style has no prev",
    skip: noOffset,
    of: (one) => inOffsetStyle(one) && one.isFirst,
    find: async (one) => {
      const first = await linked(one, "first");
      return [one, ...(first && isPage(first) ? [{ page: first }] : [])].flatMap((each) =>
        present(each, "prev"),
      );
    },
  },
  {
    claim: "PAGE-07.present",
    title: "a later page in offset style has prev",
    skip: single,
    of: isLater,
    find: (one) => absent(one, "prev"),
  },
  // PAGE-08: Offset style has totalItems, the number of resources matching the filters.
  {
    claim: "PAGE-08.present",
    title: "a page in offset style has totalItems",
    skip: noOffset,
    of: isOffsetPage,
    find: ({ page }) => {
      const total = totalOf(page);
      if (typeof total === "number") return [];
      return wrong(page, "/totalItems", "a number", describeValue(total));
    },
  },
  {
    claim: "PAGE-08.counts",
    title: "totalItems of every page is the number of all resources",
    skip: noWhole,
    of: ({ paging: { operation, walks }, page }) =>
      isPage(page) &&
      isOffset(operation, page) &&
      typeof totalOf(page) === "number" &&
      walks.some(isComplete),
    find: ({ paging, page }) => counts(page, paging.keys.length),
  },
  // PAGE-09: first, last and prev belong to offset style only: cursor style has none.
  {
    claim: "PAGE-09.none",
    title: "a page in cursor style has no first, last or prev",
    skip: noCursor,
    of: ({ page, walk }) => isPage(page) && styleOf(walk) === "cursor-style",
    find: (one) => OFFSET_LINKS.flatMap((name) => present(one, name)),
  },
  // PAGE-12: Under offset style, the walk's count equals totalItems; last leads to the page that
  // has no next; prev of page n leads back to page n-1.
  {
    claim: "PAGE-12.last",
    title: "last leads to the page without next",
    skip: noOffset,
    of: inOffsetStyle,
    find: async (one) => {
      const last = await linked(one, "last");
      const actual = last && missedBy(last, one.walk);
      if (!last || actual === undefined) return last && [];
      return wrong(one.page, "/_links/last", "the last page, without next", actual, last);
    },
  },
  {
    claim: "PAGE-12.prev",
    title: "prev leads to the previous page",
    skip: single,
    of: (one) => isLater(one) && one.isSampled,
    find: (one) => {
      const { page, walk, place, order } = one;
      const before = walk.pages[walk.pages.indexOf(page) - 1];
      const above = order[(place?.offset ?? 0) - 1] ?? "";
      return leads(one, "prev", "the previous page", (reached) =>
        place ? keysOf(reached).includes(above) : before && isSamePage(reached, before),
      );
    },
  },
  // PAGE-13: offset is the position of the first item returned.
  {
    claim: "PAGE-13.position",
    title: "offset is the position of a page's first item",
    skip: empty,
    of: ({ place, order }) => place !== undefined && place.offset < order.length,
    find: startsAt,
  },
  {
    claim: "PAGE-13.beyond",
    title: "an offset beyond the end returns no items",
    skip: noWhole,
    // An offset beyond the end is unspecified and may be rejected.
    of: ({ page, situations }) => isPage(page) && situations.includes("after-last"),
    find: ({ page, order }) => {
      const { length } = page.items;
      if (length === 0) return [];
      const expected = `no items after the ${order.length} existing ones`;
      return wrong(page, "/_embedded", expected, `${length} items`);
    },
  },
];

export const pageFacts = factChecks(pageCasesOf, FACTS);

function inOffsetStyle({ page, walk }: PageCase): boolean {
  return isPage(page) && styleOf(walk) === "offset-style";
}

/** Whether a page is in offset style by its walk or by its own members. */
function isOffsetPage(one: PageCase): boolean {
  const { page, paging } = one;
  return isPage(page) && !isBehind(one) && (inOffsetStyle(one) || isOffset(paging.operation, page));
}

/** Whether a page lies behind the end. Its links and its total are not specified. */
function isBehind({ situations }: PageCase): boolean {
  return situations.includes("after-last");
}

/** Whether a page has a previous one. */
function isLater(one: PageCase): boolean {
  return inOffsetStyle(one) && !one.isFirst && !isBehind(one);
}

/** Whether a page starts where its offset says. PAGE-13 reports another one. */
function isInPlace({ page, place, order }: PageCase): boolean {
  const [first] = keysOf(page);
  return place !== undefined && first !== undefined && first === order[place.offset];
}

function endOf({ page, place }: PageCase): number {
  return (place?.offset ?? 0) + page.items.length;
}

function reachesEnd({ place, order }: PageCase): boolean {
  return place !== undefined && place.offset + place.limit >= order.length;
}

export function tooLong(page: Page): Breach[] {
  const limit = limitIn(page.exchange.request.url) ?? maxPageSize;
  const { length } = page.items;
  return length <= limit ? [] : wrong(page, "", `at most ${limit} items`, `${length} items`);
}

export function counts(page: Page, count: number): Breach[] {
  const total = totalOf(page);
  return total === count ? [] : wrong(page, "/totalItems", `${count}`, `${total}`);
}

function startsAt({ page, place, order }: PageCase): Breach[] {
  if (!isPage(page)) return unlessPage(page, "200");
  const [keys, { offset = 0 } = {}] = [keysOf(page), place];
  if (keys.length > 0 && keys.every((key, i) => key === order[offset + i])) return [];
  const at = order.indexOf(keys[0] ?? "");
  const actual = at < 0 ? `a page of ${keys.length} other items` : `items from position ${at} on`;
  return wrong(page, "/_embedded", `items from position ${offset} on`, actual);
}

/** Why a page is not the last one; undefined if it is. */
function missedBy(last: Page, walk: LimitedWalk): string | undefined {
  if (!isPage(last)) return outcomeOf(last.exchange);
  if (hrefOf(last, "next") !== undefined) return "a page with a next link";
  const end = keysOnPages(walk).at(-1);
  if (!isComplete(walk) || end === undefined || keysOf(last).includes(end)) return undefined;
  return `a page without the last resource, ${end.slice(0, 60)}`;
}

/** Follows a link; undefined if there is none, or if the response is inconclusive. */
async function linked({ page, paging }: PageCase, name: PageLink): Promise<Page | undefined> {
  const href = hrefOf(page, name);
  const reached = href === undefined ? undefined : await paging.follow(href);
  return reached && isConclusive(reached) ? reached : undefined;
}

/** Checks where a link leads. */
async function leads(
  one: PageCase,
  name: PageLink,
  expected: string,
  isRight: (reached: Page) => boolean | undefined,
): Promise<Breach[] | undefined> {
  const reached = await linked(one, name);
  if (!reached || (isPage(reached) && isRight(reached))) return reached && [];
  const other = reached.items.length === 0 ? "an empty page" : "a page of other items";
  const actual = isPage(reached) ? other : outcomeOf(reached.exchange);
  return wrong(one.page, `/_links/${name}`, expected, actual, reached);
}

/** Checks that a page has a link, and where it leads. */
async function owes(...of: Parameters<typeof leads>): Promise<readonly Breach[] | undefined> {
  const [one, name] = of;
  return hrefOf(one.page, name) === undefined ? absent(one, name) : await leads(...of);
}

function absent({ page }: PageCase, name: PageLink): Breach[] {
  return hrefOf(page, name) !== undefined
    ? []
    : wrong(page, `/_links/${name}`, "a link", "nothing");
}

function present({ page }: Pick<PageCase, "page">, name: PageLink): Breach[] {
  const href = hrefOf(page, name);
  return href === undefined ? [] : wrong(page, `/_links/${name}`, "nothing", href);
}
