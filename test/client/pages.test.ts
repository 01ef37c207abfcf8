import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { type FeedClient, FeedContractError, FeedLinkError } from "../../src/client/index.ts";
import { FakeClock } from "../support/fake-clock.ts";
import {
  clientOf,
  NEVER,
  type Reply,
  rejectionOf,
  startTestServer,
  type TestServer,
} from "./test-server.ts";

const TIMEOUTS = { timeoutMs: 60_000, attemptTimeoutMs: 60_000 };

/** A page of cards with these ids. */
function page(ids: readonly (string | number)[], next?: unknown, more: object = {}): Reply {
  const links = { self: { href: "/cards" }, ...(next !== undefined && { next: { href: next } }) };
  const cards = ids.map((id) => ({ id: `${id}`, _links: { self: { href: `/cards/${id}` } } }));
  return { body: { _links: links, _embedded: { cards }, ...more } };
}

/** Responds with the page of the requested URL; other URLs get a recognizable response. */
function book(pages: Readonly<Record<string, Reply | Promise<Reply>>>) {
  return ({ url }: { url: string }) => pages[url] ?? { status: 418 };
}

const urls = ({ requests }: TestServer) => requests.map(({ url }) => url);

async function idsOf(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

/** Links with unusual cursors and parameters. */
const ODD = {
  "/cards?limit=2": page([1, 2], "/cards?cursor=aGk%2BLw%3D%3D&%66ilter=a%2Fb;c&&z"),
  "/cards?cursor=aGk%2BLw%3D%3D&%66ilter=a%2Fb;c&&z": page(
    [3, 4],
    "/cards?cursor=a+b//..%25&limit=2",
  ),
  "/cards?cursor=a+b//..%25&limit=2": page([5]),
};

const OFFSETS = {
  "/cards": page([1, 2], "/cards?limit=2&offset=2", { totalItems: 5 }),
  "/cards?limit=2&offset=2": page([3, 4], "/cards?limit=2&offset=4", { totalItems: 5 }),
  "/cards?limit=2&offset=4": page([5], undefined, { totalItems: 5 }),
};

describe("a list", () => {
  test("follows its links unchanged in cursor style", async () => {
    const server = await startTestServer(book(ODD));
    expect(await idsOf(clientOf(server).cards.list({ limit: 2 }))).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
    ]);
    expect(urls(server)).toEqual(Object.keys(ODD));
  });

  test("follows offset-style and absolute links", async () => {
    const server = await startTestServer((request) => {
      const reply = book(OFFSETS)(request) as Reply;
      return {
        body: JSON.parse(
          JSON.stringify(reply.body).replaceAll('"/cards?', `"${server.url}/cards?`),
        ),
      };
    });
    expect(await idsOf(clientOf(server).cards.list())).toEqual(["1", "2", "3", "4", "5"]);
    expect(urls(server)).toEqual(Object.keys(OFFSETS));
  });

  test("sends nothing before iteration, and restarts each time", async () => {
    const server = await startTestServer(book(OFFSETS));
    const list = clientOf(server).cards.list();
    expect(server.requests).toEqual([]);
    expect(await idsOf(list)).toEqual(await idsOf(list));
    expect(urls(server)).toEqual([...Object.keys(OFFSETS), ...Object.keys(OFFSETS)]);
  });

  test("supports two independent concurrent iterations", async () => {
    const server = await startTestServer(book(OFFSETS));
    const list = clientOf(server).cards.list();
    const [one, other] = [list[Symbol.asyncIterator](), list[Symbol.asyncIterator]()];
    const seen: unknown[] = [];
    for (const walk of [one, other, other, one, one, one]) seen.push((await walk.next()).value?.id);
    expect(seen).toEqual(["1", "1", "2", "2", "3", "4"]);
    await one.return();
    expect((await other.next()).value?.id).toBe("3");
    expect(await Promise.all([one.next(), other.return()])).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  test("yields nothing if it is empty", async () => {
    const server = await startTestServer(() => page([]));
    expect(await idsOf(clientOf(server).cards.list())).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  test("continues after an empty page", async () => {
    const server = await startTestServer(
      book({
        "/cards": page([], "/cards?c=1"),
        "/cards?c=1": page([], "/cards?c=2"),
        "/cards?c=2": page([1]),
      }),
    );
    expect(await idsOf(clientOf(server).cards.list())).toEqual(["1"]);
  });

  test("yields its pages unchanged", async () => {
    const server = await startTestServer(book(OFFSETS));
    const totals: unknown[] = [];
    for await (const { totalItems, _links } of clientOf(server).cards.list().pages()) {
      totals.push([totalItems, _links.next?.href]);
    }
    expect(totals).toEqual([
      [5, "/cards?limit=2&offset=2"],
      [5, "/cards?limit=2&offset=4"],
      [5, undefined],
    ]);
  });

  test.each([
    [0, [], 0],
    [1, ["1"], 1],
    [2, ["1", "2"], 1],
    [3, ["1", "2", "3"], 2],
    [4, ["1", "2", "3", "4"], 2],
    [99, ["1", "2", "3", "4", "5"], 3],
  ])("collects at most %i, and fetches no page too many", async (max, ids, count) => {
    const server = await startTestServer(book(OFFSETS));
    const cards = await clientOf(server).cards.list().toArray({ max });
    expect(cards.map(({ id }) => id)).toEqual(ids);
    expect(server.requests).toHaveLength(count);
  });

  test("resumes from a page's link", async () => {
    const server = await startTestServer(book(OFFSETS));
    const feed = clientOf(server);
    const { value } = await feed.cards.list().pages().next();
    const from = value?._links.next ?? "";
    expect(await idsOf(feed.cards.list({ from }))).toEqual(["3", "4", "5"]);
    expect(await idsOf(feed.cards.list({ from: "/cards?limit=2&offset=4" }))).toEqual(["5"]);
    expect(await feed.cards.listResult({ from })).toMatchObject({
      ok: true,
      data: { totalItems: 5 },
    });
  });
});

test.each(["", null, {}])("resuming a list from %j is rejected", async (from) => {
  const server = await startTestServer(() => page([]));
  const list = clientOf(server).cards.list({ from: from as string });
  expect(await rejectionOf(idsOf(list))).toBeInstanceOf(FeedLinkError);
  expect(server.requests).toEqual([]);
});

test("resuming at a page that links to itself ends with an error", async () => {
  const server = await startTestServer(() => page([1], "/cards?c=1"));
  const list = clientOf(server).cards.list({ from: "/cards?c=1" });
  expect(await rejectionOf(idsOf(list))).toBeInstanceOf(FeedContractError);
  expect(server.requests).toHaveLength(1);
});

describe("a limit", () => {
  test.each([0, 101, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5" as never, null as never])(
    "of %s is rejected",
    async (limit) => {
      const server = await startTestServer(() => page([]));
      const { cards } = clientOf(server);
      const refused = expect.objectContaining({ code: "usage" });
      expect(() => cards.list({ limit })).toThrow(refused);
      expect(await rejectionOf(cards.listResult({ limit }))).toEqual(refused);
      expect([...server.requests, ...server.exchanges]).toEqual([]);
    },
  );

  test.each([1, 100])("of %i is sent", async (limit) => {
    const server = await startTestServer(() => page([]));
    await clientOf(server).cards.list({ limit }).toArray({ max: 1 });
    expect(urls(server)).toEqual([`/cards?limit=${limit}`]);
  });

  test("is rejected together with a link, which has its own", async () => {
    const server = await startTestServer(() => page([]));
    const { cards } = clientOf(server);
    const options = { limit: 5, from: "/cards?cursor=x" };
    const refused = expect.objectContaining({ code: "usage" });
    expect(() => cards.list(options)).toThrow(refused);
    expect(await rejectionOf(cards.listResult(options))).toEqual(refused);
  });
});

describe.each([false, true])("with ahead: %s, iteration ends with an error if", (ahead) => {
  test.each<[string, Readonly<Record<string, Reply>>, number]>([
    ["next is the page itself", { "/cards": page([1], "/cards") }, 1],
    [
      "next is the page itself, with a cursor",
      { "/cards": page([1], "/cards?c=1"), "/cards?c=1": page([2], "/cards?c=1") },
      2,
    ],
    [
      "next leads back to the first page",
      { "/cards": page([1], "/cards?c=1"), "/cards?c=1": page([2], "/cards") },
      2,
    ],
    [
      "three pages lead to each other",
      {
        "/cards": page([0], "/cards?c=1"),
        "/cards?c=1": page([1], "/cards?c=2"),
        "/cards?c=2": page([2], "/cards?c=3"),
        "/cards?c=3": page([3], "/cards?c=1"),
      },
      4,
    ],
    [
      "empty pages lead to each other",
      { "/cards": page([], "/cards?c=1"), "/cards?c=1": page([], "/cards") },
      2,
    ],
    [
      "a page repeats under a fresh cursor",
      {
        "/cards": page([1, 2], "/cards?c=1"),
        "/cards?c=1": page([3, 4], "/cards?c=2"),
        "/cards?c=2": page([3, 4], "/cards?c=3"),
        "/cards?c=3": page([3, 4], "/cards?c=4"),
      },
      3,
    ],
  ])("%s", async (_name, pages, count) => {
    const server = await startTestServer(book(pages));
    const error = await rejectionOf(idsOf(clientOf(server).cards.list({ ahead })));
    expect(error).toBeInstanceOf(FeedContractError);
    expect(error).toMatchObject({ code: "contract", method: "GET", path: "/cards" });
    // A repeated page is detected on arrival; a page ahead has been requested by then.
    expect(server.requests.length).toBeLessThanOrEqual(count + (ahead ? 1 : 0));
    expect(urls(server)).toEqual(Object.keys(pages).slice(0, server.requests.length));
  });

  test.each<[string, unknown]>([
    ["has no _embedded", { _links: {} }],
    ["has an empty _embedded", { _links: {}, _embedded: {} }],
    ["has another collection", { _links: {}, _embedded: { subaccounts: [] } }],
    ["has no array of items", { _links: {}, _embedded: { cards: {} } }],
    ["is null", null],
    ["is a string", "page"],
    ["is an array", []],
  ])("a page %s", async (_name, body) => {
    const server = await startTestServer(() => ({ body: JSON.parse(JSON.stringify(body)) }));
    const raw = await startTestServer(() => ({ body: JSON.stringify(body) }));
    for (const { cards } of [clientOf(server), clientOf(raw)]) {
      expect(await rejectionOf(idsOf(cards.list({ ahead })))).toBeInstanceOf(FeedContractError);
      expect(await rejectionOf(cards.list({ ahead }).pages().next())).toBeInstanceOf(
        FeedContractError,
      );
    }
  });

  test.each<[string, unknown]>([
    ["to another collection", "/transactions?cursor=x"],
    ["to one of its items", "/cards/1"],
    ["to a similar path", "/cards-2?c=1"],
    ["to another origin", "http://127.0.0.2:1/cards?c=1"],
    ["nowhere", ""],
    ["to a number", 7],
    ["to null", null],
  ])("the next link leads %s, after the first items", async (_name, next) => {
    const server = await startTestServer(() => page([1], next));
    const walk = clientOf(server).cards.list({ ahead })[Symbol.asyncIterator]();
    expect((await walk.next()).value?.id).toBe("1");
    expect(await rejectionOf(walk.next())).toBeInstanceOf(FeedLinkError);
    expect(await walk.next()).toEqual({ done: true, value: undefined });
    expect(server.requests).toHaveLength(1);
  });

  test.each([null, {}, { href: null }, 7, true])(
    "the next link is %j, after the first items",
    async (next) => {
      const { body } = page([1]) as { body: { _links: object } };
      const server = await startTestServer(() => ({
        body: { ...body, _links: { ...body._links, next } },
      }));
      const walk = clientOf(server).cards.list({ ahead })[Symbol.asyncIterator]();
      expect((await walk.next()).value?.id).toBe("1");
      expect(await rejectionOf(walk.next())).toBeInstanceOf(FeedLinkError);
      expect(server.requests).toHaveLength(1);
    },
  );
});

test.each([null, {}, 7])("a page whose self link is %j is accepted", async (self) => {
  const { body } = page([1]) as { body: object };
  const server = await startTestServer(() => ({ body: { ...body, _links: { self } } }));
  expect(await idsOf(clientOf(server).cards.list())).toEqual(["1"]);
});

describe("the next page", () => {
  const pages = () => {
    let release = (_reply: Reply) => {};
    const held = new Promise<Reply>((resolve) => {
      release = resolve;
    });
    return { held, release: (reply: Reply) => release(reply) };
  };

  test("is fetched while a page is consumed, with ahead", async () => {
    const { held, release } = pages();
    const server = await startTestServer(
      book({ "/cards": page([1, 2], "/cards?c=1"), "/cards?c=1": held }),
    );
    const walk = clientOf(server).cards.list({ ahead: true })[Symbol.asyncIterator]();
    await walk.next();
    await vi.waitFor(() => expect(urls(server)).toEqual(["/cards", "/cards?c=1"]));
    expect((await walk.next()).value?.id).toBe("2");
    release(page([3]));
    expect((await walk.next()).value?.id).toBe("3");
  });

  test("is at most one page ahead", async () => {
    const server = await startTestServer(book(OFFSETS));
    const walk = clientOf(server).cards.list({ ahead: true })[Symbol.asyncIterator]();
    await walk.next();
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    // The request for a third page would arrive before this later request.
    await clientOf(server).follow("/cards");
    expect(urls(server)).toEqual(["/cards", "/cards?limit=2&offset=2", "/cards"]);
    await walk.return();
  });

  test("is fetched on demand by default", async () => {
    const server = await startTestServer(book(OFFSETS));
    const walk = clientOf(server).cards.list()[Symbol.asyncIterator]();
    await walk.next();
    await walk.next();
    await clientOf(server).follow("/cards");
    expect(urls(server)).toEqual(["/cards", "/cards"]);
    await walk.return();
  });

  test("that fails when fetched ahead fails on its turn", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const server = await startTestServer(
      book({ "/cards": page([1, 2], "/cards?c=1"), "/cards?c=1": { status: 404 } }),
    );
    const walk = clientOf(server).cards.list({ ahead: true })[Symbol.asyncIterator]();
    expect((await walk.next()).value?.id).toBe("1");
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await walk.next()).value?.id).toBe("2");
    expect(await rejectionOf(walk.next())).toMatchObject({ code: "http", status: 404 });
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("ending an iteration early", () => {
  const held = { "/cards": page([1, 2], "/cards?c=1"), "/cards?c=1": NEVER };

  test.each<[string, (feed: FeedClient) => Promise<void>]>([
    [
      "by break",
      async ({ cards }) => {
        for await (const _card of cards.list({ ahead: true, ...TIMEOUTS })) {
          await arrived();
          break;
        }
      },
    ],
    [
      "by an error in the loop",
      async ({ cards }) => {
        const loop = async () => {
          for await (const _card of cards.list({ ahead: true, ...TIMEOUTS })) {
            await arrived();
            throw new Error("enough");
          }
        };
        await expect(loop()).rejects.toThrow("enough");
      },
    ],
    [
      "by break from the pages",
      async ({ cards }) => {
        for await (const _page of cards.list({ ahead: true, ...TIMEOUTS }).pages()) {
          await arrived();
          break;
        }
      },
    ],
    [
      "by the limit of toArray",
      async ({ cards }) => {
        await cards.list({ ahead: true, ...TIMEOUTS }).toArray({ max: 1 });
      },
    ],
  ])("%s cancels the request in flight", async (name, walk) => {
    const server = await startTestServer(book(held));
    waitFor = server;
    await walk(clientOf(server));
    if (name !== "by the limit of toArray") expect(server.requests).toHaveLength(2);
    await server.requests[1]?.brokenOff;
    waitFor = undefined;
  });

  let waitFor: TestServer | undefined;
  const arrived = () => vi.waitFor(() => expect(waitFor?.requests).toHaveLength(2));

  test.each(["return", "throw"] as const)(
    "by %s() cancels a pending next() at once",
    async (how) => {
      const server = await startTestServer(book(held));
      const walk = clientOf(server).cards.list(TIMEOUTS)[Symbol.asyncIterator]();
      await walk.next();
      await walk.next();
      const pending = rejectionOf(walk.next());
      await vi.waitFor(() => expect(server.requests).toHaveLength(2));
      const ended =
        how === "return" ? walk.return() : walk.throw(new Error("enough")).catch(() => {});
      expect(await pending).toMatchObject({ code: "aborted", path: "/cards" });
      await server.requests[1]?.brokenOff;
      await ended;
      expect(await walk.next()).toEqual({ done: true, value: undefined });
    },
  );

  test("before the first page sends nothing", async () => {
    const server = await startTestServer(book(held));
    const walk = clientOf(server).cards.list()[Symbol.asyncIterator]();
    await walk.return();
    expect(await walk.next()).toEqual({ done: true, value: undefined });
    expect([...server.requests, ...server.exchanges]).toEqual([]);
  });

  test.each([false, true])(
    "by the caller's signal ends the iteration, ahead: %s",
    async (ahead) => {
      const server = await startTestServer(book(held));
      const controller = new AbortController();
      const { signal } = controller;
      const walk = clientOf(server)
        .cards.list({ ahead, signal, ...TIMEOUTS })
        [Symbol.asyncIterator]();
      await walk.next();
      await walk.next();
      const pending = rejectionOf(walk.next());
      await vi.waitFor(() => expect(server.requests).toHaveLength(2));
      controller.abort();
      expect(await pending).toMatchObject({ code: "aborted" });
      await server.requests[1]?.brokenOff;
    },
  );
});

test("a token revoked during iteration is replaced", async () => {
  let revoked = 0;
  const server = await startTestServer((request) => {
    const number = Number(request.headers.authorization?.replace("Bearer token-", ""));
    if (request.url.includes("offset=2")) revoked = Math.max(revoked, 1);
    return number <= revoked ? { status: 401 } : book(OFFSETS)(request);
  });
  expect(await idsOf(clientOf(server).cards.list())).toEqual(["1", "2", "3", "4", "5"]);
  expect(server.exchanges).toHaveLength(2);
  expect(server.requests).toHaveLength(4);
});

test("a token that expires during iteration is replaced before use", async () => {
  const clock = new FakeClock();
  const date = () => new Date(clock.now()).toUTCString();
  const server = await startTestServer(
    (request) => {
      const reply = book(OFFSETS)(request) as Reply;
      clock.jump(200_000);
      return { ...reply, headers: { date: date() } };
    },
    () => ({
      body: { access_token: `token-${clock.now()}`, expires_in: 300, token_type: "Bearer" },
      headers: { date: date() },
    }),
  );
  expect(await idsOf(clientOf(server, { clock, timeoutMs: 1e6 }).cards.list())).toHaveLength(5);
  expect(server.exchanges).toHaveLength(2);
  expect(new Set(server.requests.map(({ headers }) => headers.authorization)).size).toBe(2);
});

test("only the last few of a thousand pages are kept in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const server = await startTestServer(({ url }) => {
    const at = Number(new URL(url, "http://x").searchParams.get("c") ?? 0);
    return page([at * 2, at * 2 + 1], at < 999 ? `/cards?c=${at + 1}` : undefined);
  });
  const pages: WeakRef<object>[] = [];
  for await (const page of clientOf(server).cards.list({ ahead: true }).pages()) {
    pages.push(new WeakRef(page));
    if (pages.length % 250 !== 0) continue;
    // A WeakRef keeps its target until the end of the current job.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    const kept = pages.filter((each) => each.deref() !== undefined).length;
    expect(kept).toBeLessThan(10);
  }
  expect(pages).toHaveLength(1000);
  expect(server.requests).toHaveLength(1000);
});
