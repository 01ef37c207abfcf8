import { describe, expect, test } from "vitest";
import { FeedContractError } from "../../src/client/index.ts";
import { memoryFixture, response } from "./memory-service.ts";
import { rejectionOf } from "./test-server.ts";

interface Page {
  readonly ids: readonly string[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** Whether the page is in offset style, in which an item can move to the next page. */
  readonly hasFirst?: boolean;
  readonly totalItems?: number;
}

/** A card list whose pages are generated from cursors; the first cursor is empty. */
function listOf(pageAt: (cursor: string) => Page) {
  const { feed, service } = memoryFixture({ retries: 0 });
  service.resource = ({ url }) => {
    // An endless iteration would block the event loop, and with it the test's timeout.
    if (service.requests > 50_000) throw new Error("50,000 pages were fetched");
    const { ids, next, hasFirst, totalItems } = pageAt(
      new URL(url).searchParams.get("cursor") ?? "",
    );
    const links = {
      self: { href: "/cards" },
      ...(next !== undefined && { next: { href: `/cards?cursor=${next}` } }),
      ...(hasFirst && { first: { href: "/cards" } }),
    };
    const _embedded = { cards: ids.map((id) => ({ id })) };
    return response(200, { totalItems, _links: links, _embedded });
  };
  return { cards: feed.cards, service };
}

type Cards = ReturnType<typeof listOf>["cards"];

/** Every way to iterate over a list. */
const WAYS: [string, (cards: Cards, ahead: boolean) => Promise<unknown>][] = [
  [
    "for await",
    async (cards, ahead) => {
      for await (const _ of cards.list({ ahead }));
    },
  ],
  [
    "pages()",
    async (cards, ahead) => {
      for await (const _ of cards.list({ ahead }).pages());
    },
  ],
  ["toArray", (cards, ahead) => cards.list({ ahead }).toArray({ max: 1e9 })],
  ["from", (cards, ahead) => cards.list({ ahead, from: "/cards?cursor=1" }).toArray({ max: 1e9 })],
];
const ALL_WAYS = WAYS.flatMap(([name, walk]) =>
  [false, true].map((ahead) => [name, ahead, walk] as const),
);

/** Leading pages followed by a cycle of pages, with new items on every request. */
function cycleOf(length: number, beginning: number) {
  let items = 0;
  return listOf((cursor) => {
    const at = Number(cursor);
    const next = at + 1 < beginning + length ? at + 1 : beginning;
    items += 1;
    return { ids: [`item-${items}`], next: String(next) };
  });
}

describe("a cycle of pages ends with an error", () => {
  test.each(ALL_WAYS)("of 2,000 pages: %s, ahead: %s", async (_name, ahead, walk) => {
    const { cards, service } = cycleOf(2000, 100);
    expect(await rejectionOf(walk(cards, ahead))).toBeInstanceOf(FeedContractError);
    expect(service.requests).toBeLessThan(3 * 2100);
  });

  test.each([
    [1, 0],
    [2, 7],
    [1499, 1],
    [1501, 0],
    [3001, 0],
    [3, 4000],
    [5000, 5000],
  ])("of %i pages after %i others", async (length, beginning) => {
    const { cards, service } = cycleOf(length, beginning);
    const error = await rejectionOf(cards.list().toArray({ max: 1e9 }));
    expect(error).toMatchObject({ code: "contract", path: "/cards" });
    expect(service.requests).toBeLessThanOrEqual(3 * (length + beginning) + 1);
  });

  test("if new links have the same items", async () => {
    let requests = 0;
    const { cards } = listOf(() => {
      requests += 1;
      return { ids: [`item-${requests % 2500}`], next: `new-${requests}` };
    });
    const error = await rejectionOf(cards.list().toArray({ max: 1e9 }));
    expect(error).toBeInstanceOf(FeedContractError);
    expect(requests).toBeLessThanOrEqual(3 * 2500);
  });
});

describe("in offset style", () => {
  test("the same items at new offsets are an error", async () => {
    let offset = 0;
    const { cards, service } = listOf(() => {
      offset += 2;
      return { ids: ["a", "b"], next: `${offset}`, hasFirst: true, totalItems: 10 };
    });
    const error = await rejectionOf(cards.list().toArray({ max: 1e9 }));
    expect(error).toBeInstanceOf(FeedContractError);
    expect(service.requests).toBe(5);
  });

  test("items moved to the next page by an insertion are not an error", async () => {
    const items = ["a", "b", "c"];
    const { cards } = listOf((cursor) => {
      const offset = Number(cursor);
      const ids = items.slice(offset, offset + 1);
      if (offset < 2) items.unshift(`new-${offset}`);
      const next = offset + 1 < items.length ? String(offset + 1) : undefined;
      return { ids, next, hasFirst: true, totalItems: items.length };
    });
    expect(await cards.list().toArray({ max: 1e9 })).toHaveLength(5);
  });
});

/** A list of `ends` pages with new links: `inARow` empty pages before each page with an item. */
function emptyPages(inARow: number, ends = Number.POSITIVE_INFINITY) {
  let count = 0;
  return listOf(() => {
    count += 1;
    const ids = inARow > 0 && count % (inARow + 1) !== 0 ? [] : [`item-${count}`];
    return { ids, next: count < ends ? `new-${count}` : undefined, hasFirst: true };
  });
}

describe("empty pages in a row", () => {
  test.each(ALL_WAYS)("are an error if endless: %s, ahead: %s", async (_name, ahead, walk) => {
    const { cards, service } = emptyPages(Number.MAX_SAFE_INTEGER);
    const error = await rejectionOf(walk(cards, ahead));
    expect(error).toBeInstanceOf(FeedContractError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^GET \/cards: 100 pages in a row are empty.* from/),
    });
    expect(service.requests).toBe(100);
  });

  test("are an error before the last item that toArray needs", async () => {
    const { cards } = emptyPages(200);
    const error = await rejectionOf(cards.list().toArray({ max: 1 }));
    expect(error).toMatchObject({ code: "contract" });
  });

  test("are skipped up to 99 at a time", async () => {
    const { cards, service } = emptyPages(99, 1000);
    expect(await cards.list().toArray({ max: 1e9 })).toHaveLength(10);
    expect(service.requests).toBe(1000);
  });

  test("are not an error at the end of the list", async () => {
    const { cards } = emptyPages(Number.MAX_SAFE_INTEGER, 100);
    expect(await cards.list().toArray({ max: 1e9 })).toEqual([]);
  });
});

test("an endless list of new items yields as many as requested", async () => {
  const { cards, service } = emptyPages(0);
  expect(await cards.list().toArray({ max: 10_000 })).toHaveLength(10_000);
  expect(service.requests).toBe(10_000);
});
