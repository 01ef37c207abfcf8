import { operations } from "../../../generated/operations.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import {
  checkPages,
  isComplete,
  keysOnPages,
  type Paging,
  type PagingResult,
} from "../../observe/paging.ts";
import { hrefOf, isConclusive, isOffset, isPage, keysOf } from "../../observe/paging-page.ts";
import { itemsOf, type Page } from "../../observe/walk.ts";
import type { Session } from "../../run/session.ts";
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
      return checkPages(session, skip, (paging) => at(session, paging, within, startsAt));
    },
  },
  {
    claims: ["PAGE-13.beyond"],
    title: "an offset beyond the end returns no items",
    requires: ["state"],
    run: (session) => {
      const skip = new Skip("no collection in offset style could be walked to its end");
      return checkPages(session, skip, (paging) => at(session, paging, beyond, isEmptyPage));
    },
  },
  // PAGE-07: Offset style has _links.prev except on the first page.
  {
    claims: ["PAGE-07.absent"],
    title: "the page at offset 0 has no prev",
    requires: ["state"],
    run: (session) => {
      const skip = new Skip("no collection in offset style could be walked to its end");
      return checkPages(session, skip, (paging) => at(session, paging, () => [0], hasNoPrev));
    },
  },
];

/** Small enough to get several pages, large enough to show the order. */
const LIMIT = 2;

type FindBreaches = (page: Page, offset: number, order: readonly string[]) => Breach[];

/** Requests pages at some offsets and compares them with the order of a walk. */
async function at(
  session: Session,
  { operation, walks }: Paging,
  choose: (count: number) => number[],
  findBreaches: FindBreaches,
): Promise<PagingResult> {
  const whole = walks.filter(isComplete).find(({ pages: [first] }) => {
    return first !== undefined && isOffset(operation, first);
  });
  if (!whole) return { assertions: 0, breaches: [] };
  const order = [...new Set(keysOnPages(whole))];
  const offsets = [...new Set(choose(order.length))];
  const results = await Promise.all(
    offsets.map(async (offset) => {
      const path = `${operations[operation].path}?offset=${offset}&limit=${LIMIT}`;
      const exchange = await session.sendAuthorized({ method: "GET", path });
      const page = { exchange, items: itemsOf(operation, exchange) };
      if (isPage(page)) return findBreaches(page, offset, order);
      // An offset beyond the end is unspecified and may be rejected.
      if (offset >= order.length || !isConclusive(page)) return undefined;
      return [{ expected: "200", actual: outcomeOf(exchange), evidence: [exchange] as const }];
    }),
  );
  const decided = results.filter((look) => look !== undefined);
  return { assertions: decided.length, breaches: decided.flat() };
}

function within(count: number): number[] {
  const some = [0, 1, 2, 3, 5, Math.floor(count / 2), count - 2, count - 1];
  return some.filter((offset) => offset >= 0 && offset < count);
}

function beyond(count: number): number[] {
  return [count, count + 1, count + 1_000];
}

function startsAt(page: Page, offset: number, order: readonly string[]): Breach[] {
  const keys = keysOf(page);
  const isRight = keys.length > 0 && keys.every((key, i) => key === order[offset + i]);
  if (isRight) return [];
  const found = order.indexOf(keys[0] ?? "");
  const actual =
    found < 0 ? `a page of ${keys.length} other items` : `items from position ${found} on`;
  const expected = `items from position ${offset} on`;
  return [{ path: "/_embedded", expected, actual, evidence: [page.exchange] }];
}

function isEmptyPage(page: Page, _offset: number, order: readonly string[]): Breach[] {
  const { exchange, items } = page;
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
