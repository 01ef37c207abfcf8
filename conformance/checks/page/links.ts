import type { ClaimId } from "../../../generated/requirements.ts";
import type { Assertions } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { sample } from "../../observe/feed.ts";
import { operationAt } from "../../observe/operations.ts";
import {
  beginsAlike,
  hrefOf,
  isConclusive,
  isPage,
  isSamePage,
  keysOf,
  OFFSET_LINKS,
  type Page,
  type PageLink,
  placeOf,
  styleOf,
} from "../../observe/pages.ts";
import {
  checkPages,
  isComplete,
  keysOnPages,
  type LimitedWalk,
  type Paging,
} from "../../observe/paging.ts";
import { outcomeOf } from "../../wire/exchange.ts";

const noPage = new Skip("no collection returned a page", "have a collection that returns 200");
const noOffset = new Skip("no collection is in offset style");
const noCursor = new Skip("no collection in cursor style has a second page");
const single = new Skip(
  "no collection in offset style has a second page",
  "have two resources in a list in offset style",
);

/** The maximum number of pages per walk whose links are followed. */
const MAX_PAGES_PER_WALK = 6;

/** Checks the targets of a page's links, except next. */
export const links: readonly Check[] = [
  // PAGE-04: _links.self is always present.
  {
    claims: ["PAGE-04.this-collection"],
    title: "self leads to the page's own collection",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noPage, (paging, assertions) =>
        everyPage(paging, assertions, {
          claim: "PAGE-04.this-collection",
          findBreaches: async (page) => {
            const href = hrefOf(page, "self");
            if (href === undefined) return undefined;
            const operation = operationAt(href);
            if (operation !== undefined && operation !== paging.operation) {
              return [breachOf(page, undefined, "self", `a link to ${paging.operation}`, href)];
            }
            const self = await linked(paging, href);
            if (!self || isPage(self)) return self && [];
            return [breachOf(page, self, "self", "a page", outcomeOf(self.exchange))];
          },
        }),
      ),
  },
  // PAGE-06: Offset style has _links.first and _links.last.
  {
    claims: ["PAGE-06.first"],
    title: "first leads to the first page",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noOffset, (paging, assertions) =>
        everyPage(paging, assertions, {
          claim: "PAGE-06.first",
          style: "offset-style",
          findBreaches: async (page, { pages: [first] }) => {
            const href = hrefOf(page, "first");
            if (href === undefined || !first) return undefined;
            const reached = await linked(paging, href);
            if (!reached) return undefined;
            // PAGE-15 reports a lost limit.
            return isPage(reached) && beginsAlike(reached, first)
              ? []
              : [breachOf(page, reached, "first", "the first page", describePage(reached))];
          },
        }),
      ),
  },
  // PAGE-07: Offset style has _links.prev except on the first page.
  {
    claims: ["PAGE-07.absent"],
    title: "the first page in offset style has no prev",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noOffset, (paging, assertions) =>
        everyPage(paging, assertions, {
          claim: "PAGE-07.absent",
          style: "offset-style",
          choose: (pages) => pages.slice(0, 1),
          findBreaches: async (page) => {
            const first = hrefOf(page, "first");
            const again = first === undefined ? undefined : await linked(paging, first);
            return [page, ...(again && isPage(again) ? [again] : [])].flatMap((each) => {
              const href = hrefOf(each, "prev");
              return href === undefined ? [] : [breachOf(each, undefined, "prev", "nothing", href)];
            });
          },
        }),
      ),
  },
  {
    claims: ["PAGE-07.present"],
    title: "a later page in offset style has prev",
    requires: ["state"],
    run: (session) =>
      checkPages(session, single, (paging, assertions) =>
        everyPage(paging, assertions, {
          claim: "PAGE-07.present",
          style: "offset-style",
          choose: (pages) => pages.slice(1),
          findBreaches: async (page) =>
            hrefOf(page, "prev") === undefined
              ? [breachOf(page, undefined, "prev", "a link", "nothing")]
              : [],
        }),
      ),
  },
  // PAGE-09: first, last and prev belong to offset style only: cursor style has none.
  {
    claims: ["PAGE-09.none"],
    title: "a later page in cursor style has no first, last or prev",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noCursor, (paging, assertions) =>
        everyPage(paging, assertions, {
          claim: "PAGE-09.none",
          style: "cursor-style",
          choose: (pages) => pages.slice(1),
          findBreaches: async (page) =>
            OFFSET_LINKS.flatMap((name) => {
              const href = hrefOf(page, name);
              return href === undefined ? [] : [breachOf(page, undefined, name, "nothing", href)];
            }),
        }),
      ),
  },
  // PAGE-12: Under offset style, the walk's count equals totalItems; last leads to the page that
  // has no next; prev of page n leads back to page n-1.
  {
    claims: ["PAGE-12.last"],
    title: "last leads to the page without next",
    requires: ["state"],
    run: (session) =>
      checkPages(session, noOffset, (paging, assertions) =>
        everyPage(paging, assertions, {
          claim: "PAGE-12.last",
          style: "offset-style",
          findBreaches: async (page, walk) => {
            const href = hrefOf(page, "last");
            const last = href === undefined ? undefined : await linked(paging, href);
            if (!last) return undefined;
            const actual = missedBy(last, walk);
            return actual === undefined
              ? []
              : [breachOf(page, last, "last", "the last page, without next", actual)];
          },
        }),
      ),
  },
  {
    claims: ["PAGE-12.prev"],
    title: "prev leads to the previous page",
    requires: ["state"],
    run: (session) =>
      checkPages(session, single, (paging, assertions) =>
        everyPage(paging, assertions, {
          claim: "PAGE-12.prev",
          style: "offset-style",
          choose: (pages) => pages.slice(1),
          findBreaches: async (page, { pages }) => {
            const before = pages[pages.indexOf(page) - 1];
            const href = hrefOf(page, "prev");
            if (href === undefined || !before) return undefined;
            const reached = await linked(paging, href);
            if (!reached) return undefined;
            return isPage(reached) && isSamePage(reached, before)
              ? []
              : [breachOf(page, reached, "prev", "the previous page", describePage(reached))];
          },
        }),
      ),
  },
  {
    claims: ["PAGE-12.prev"],
    title: "walking prev from the last page returns every resource",
    requires: ["state"],
    run: (session) => checkPages(session, single, backwards),
  },
];

interface PageCheck {
  readonly claim: ClaimId;
  /** The style of the lists that are checked. Default: both. */
  readonly style?: "cursor-style" | "offset-style";
  /** Default: all pages of a walk. */
  readonly choose?: (pages: readonly Page[]) => readonly Page[];
  /** Resolves to undefined if the page is inconclusive. */
  readonly findBreaches: (page: Page, walk: LimitedWalk) => Promise<Breach[] | undefined>;
}

/** Checks a sample of each walk's pages. */
async function everyPage(
  { walks }: Paging,
  assertions: Assertions,
  { claim, style, choose = (pages) => pages, findBreaches }: PageCheck,
): Promise<void> {
  const chosen = walks
    .filter((walk) => style === undefined || styleOf(walk) === style)
    .flatMap((walk) =>
      sample(choose(walk.pages.filter(isPage)), MAX_PAGES_PER_WALK).map(
        (page) => [page, walk] as const,
      ),
    );
  const checked = await Promise.all(chosen.map(([page, walk]) => findBreaches(page, walk)));
  for (const [i, [page, walk]] of chosen.entries()) {
    const breaches = checked[i];
    if (breaches) assertions.of(claim, placeOf(walk, page), styleOf(walk)).all(breaches);
  }
}

/** Follows a link; undefined if it is not followed or the response is inconclusive. */
async function linked({ follow }: Paging, href: string): Promise<Page | undefined> {
  const page = await follow(href);
  return page && isConclusive(page) ? page : undefined;
}

/** Why a page is not the last one; undefined if it is. */
function missedBy(last: Page, walk: LimitedWalk): string | undefined {
  if (!isPage(last)) return outcomeOf(last.exchange);
  if (hrefOf(last, "next") !== undefined) return "a page with a next link";
  const end = keysOnPages(walk).at(-1);
  if (!isComplete(walk) || end === undefined || keysOf(last).includes(end)) return undefined;
  return `a page without the last resource, ${end.slice(0, 60)}`;
}

/** Walks backwards by prev. It must find every resource, regardless of the page boundaries. */
async function backwards({ walks, follow }: Paging, assertions: Assertions): Promise<void> {
  for (const walk of walks) {
    const [first, second] = walk.pages;
    if (!isComplete(walk) || !first || !second || styleOf(walk) !== "offset-style") continue;
    const href = hrefOf(first, "last");
    let page = href === undefined ? undefined : await follow(href);
    const visited = new Set<Page>();
    const keys = new Set<string>();
    while (page && isPage(page) && !visited.has(page)) {
      visited.add(page);
      for (const key of keysOf(page)) keys.add(key);
      const back = hrefOf(page, "prev");
      // The page boundaries may differ from the forward walk's, which can add one page.
      if (back === undefined || visited.size > walk.pages.length) break;
      page = await follow(back);
    }
    const shown = page ?? first;
    // PAGE-07 reports a missing prev.
    if (!isConclusive(shown) || (visited.size === 1 && hrefOf(shown, "prev") === undefined))
      continue;
    const missing = keysOnPages(walk).filter((key) => !keys.has(key));
    const expected = `all ${new Set(keysOnPages(walk)).size} resources by prev`;
    const breach = breachOf(shown, first, "prev", expected, `${keys.size}`);
    assertions.of("PAGE-12.prev").check(missing.length === 0, breach);
  }
}

function describePage(page: Page): string {
  if (!isPage(page)) return outcomeOf(page.exchange);
  return page.items.length === 0 ? "an empty page" : "a page of other items";
}

function breachOf(
  { exchange }: Page,
  compared: Page | undefined,
  link: PageLink,
  expected: string,
  actual: string,
): Breach {
  const evidence = [exchange, ...(compared ? [compared.exchange] : [])] as const;
  return { path: `/_links/${link}`, expected, actual, evidence };
}
