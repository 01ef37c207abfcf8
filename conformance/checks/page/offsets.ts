import { operations } from "../../../generated/operations.ts";
import type { Situation } from "../../../generated/requirements.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import {
  hrefOf,
  isConclusive,
  isPage,
  itemsOf,
  keysOf,
  type Page,
  placeOf,
  situationOfLimit,
  styleOf,
} from "../../observe/pages.ts";
import { checkPages, isComplete, keysOnPages, type Paging } from "../../observe/paging.ts";
import { outcomeOf } from "../../wire/exchange.ts";

/** Checks the meaning of offset. Only these checks build such URLs (PAGE-14). */
export const offsets: readonly Check[] = [
  // PAGE-13: offset is the position of the first item returned.
  {
    claims: ["PAGE-13.position"],
    title: "offset is the position of a page's first item",
    requires: ["state"],
    run: (session) => {
      const hint = "have a resource in a list in offset style";
      const skip = new Skip("no collection in offset style has a resource", hint);
      return checkPages(session, skip, (paging, assertions) =>
        at(session, paging, within, (page, place, order) => {
          const breaches = startsAt(page, place.offset, order);
          assertions.of("PAGE-13.position", ...situationsAt(place, order)).all(breaches);
        }),
      );
    },
  },
  {
    claims: ["PAGE-13.beyond"],
    title: "an offset beyond the end returns no items",
    requires: ["state"],
    run: (session) => {
      const skip = new Skip("no collection in offset style could be walked to its end");
      return checkPages(session, skip, (paging, assertions) =>
        at(session, paging, beyond, (page, _, order) => {
          // An offset beyond the end is unspecified and may be rejected.
          if (isPage(page)) assertions.of("PAGE-13.beyond").all(isEmptyPage(page, order));
        }),
      );
    },
  },
  // PAGE-06: Offset style has _links.first and _links.last.
  {
    claims: ["PAGE-06.last"],
    title: "last leads to a page with resources",
    requires: ["state"],
    run: (session) => {
      const skip = new Skip("no collection in offset style has a resource");
      return checkPages(session, skip, async ({ walks, keys, follow }, assertions) => {
        const pages = walks
          .filter((walk) => styleOf(walk) === "offset-style" && keys.length > 0)
          .flatMap((walk) => walk.pages.filter(isPage).map((page) => ({ walk, page })));
        for (const { walk, page } of pages) {
          const href = hrefOf(page, "last");
          const last = href === undefined ? undefined : await follow(href);
          if (!last || !isConclusive(last)) continue;
          assertions
            .of("PAGE-06.last", placeOf(walk, page))
            .check(isPage(last) && last.items.length > 0, {
              ...{ path: "/_links/last", expected: "a page with resources" },
              actual: isPage(last) ? "an empty page" : outcomeOf(last.exchange),
              evidence: [page.exchange, last.exchange],
            });
        }
      });
    },
  },
  // PAGE-07: Offset style has _links.prev except on the first page.
  {
    claims: ["PAGE-07.absent"],
    title: "the page at offset 0 has no prev",
    requires: ["state"],
    run: (session) => {
      const skip = new Skip("no collection in offset style could be walked to its end");
      return checkPages(session, skip, (paging, assertions) =>
        at(session, paging, beginning, (page, place, order) => {
          // PAGE-13 reports another response.
          if (!isPage(page)) return;
          assertions.of("PAGE-07.absent", ...situationsAt(place, order)).all(hasNoPrev(page));
        }),
      );
    },
  },
];

/** A position in a list, and a limit for the page. */
interface Place {
  readonly offset: number;
  readonly limit: number;
}

/** Requests pages at some places and compares them with the order of a walk. */
async function at(
  session: Session,
  { operation, walks }: Paging,
  choose: (count: number) => Place[],
  inspect: (page: Page, place: Place, order: readonly string[]) => void,
): Promise<void> {
  const whole = walks.filter(isComplete).find((walk) => styleOf(walk) === "offset-style");
  if (!whole) return;
  const order = [...new Set(keysOnPages(whole))];
  const places = choose(order.length);
  const pages = await Promise.all(
    places.map(async ({ offset, limit }): Promise<Page> => {
      const path = `${operations[operation].path}?offset=${offset}&limit=${limit}`;
      const exchange = await session.sendAuthorized({ method: "GET", path });
      return { exchange, items: itemsOf(operation, exchange) };
    }),
  );
  for (const [i, place] of places.entries()) {
    const page = pages[i];
    if (page && isConclusive(page)) inspect(page, place, order);
  }
}

function situationsAt({ offset, limit }: Place, order: readonly string[]): Situation[] {
  const isLast = offset + limit >= order.length;
  const limits = situationOfLimit(limit);
  if (offset === 0) return [...limits, isLast ? "only-page" : "first-page"];
  return isLast ? [...limits, "last-page"] : limits;
}

/** A limit of 2 gives several pages and shows the order. */
function within(count: number): Place[] {
  const middle = Math.floor(count / 2);
  const some = [0, 1, 2, 3, 5, middle, count - 2, count - 1].map((offset) => ({
    offset,
    limit: 2,
  }));
  const single = [0, middle, count - 1].map((offset) => ({ offset, limit: 1 }));
  const places = [...some, ...single].filter(({ offset }) => offset >= 0 && offset < count);
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
}

function beyond(count: number): Place[] {
  return [count, count + 1, count + 1_000].map((offset) => ({ offset, limit: 2 }));
}

function beginning(): Place[] {
  return [{ offset: 0, limit: 2 }];
}

function startsAt(page: Page, offset: number, order: readonly string[]): Breach[] {
  if (!isPage(page)) return notAPage(page);
  const keys = keysOf(page);
  const isRight = keys.length > 0 && keys.every((key, i) => key === order[offset + i]);
  if (isRight) return [];
  const found = order.indexOf(keys[0] ?? "");
  const actual =
    found < 0 ? `a page of ${keys.length} other items` : `items from position ${found} on`;
  const expected = `items from position ${offset} on`;
  return [{ path: "/_embedded", expected, actual, evidence: [page.exchange] }];
}

function notAPage({ exchange }: Page): Breach[] {
  return [{ expected: "200", actual: outcomeOf(exchange), evidence: [exchange] }];
}

function isEmptyPage({ exchange, items }: Page, order: readonly string[]): Breach[] {
  if (items.length === 0) return [];
  const expected = `no items after the ${order.length} existing ones`;
  return [{ path: "/_embedded", expected, actual: `${items.length} items`, evidence: [exchange] }];
}

function hasNoPrev(page: Page): Breach[] {
  const href = hrefOf(page, "prev");
  if (href === undefined) return [];
  const evidence = [page.exchange] as const;
  return [{ path: "/_links/prev", expected: "nothing", actual: href, evidence }];
}
