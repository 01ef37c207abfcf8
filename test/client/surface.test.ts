import { describe, expect, test } from "vitest";
import { type OperationKey, operations } from "../../generated/operations.ts";
import { responseExamples } from "../../generated/response-examples.ts";
import type { FeedClient } from "../../src/client/index.ts";
import { clientOf, rejectionOf, startTestServer } from "./test-server.ts";

/** Each operation's two resource methods: one throws, one returns a result. */
const CALLS: Readonly<
  Record<string, readonly [(feed: FeedClient) => Promise<unknown>, (feed: FeedClient) => unknown]>
> = {
  "GET /subaccounts": [
    (feed) => feed.subaccounts.list().toArray({ max: 1 }),
    (feed) => feed.subaccounts.listResult(),
  ],
  "GET /subaccounts/{id}": [
    (feed) => feed.subaccounts.get("a/b c"),
    (feed) => feed.subaccounts.getResult("a/b c"),
  ],
  "GET /cards": [
    (feed) => feed.cards.list().toArray({ max: 1 }),
    (feed) => feed.cards.listResult(),
  ],
  "GET /cards/{id}": [(feed) => feed.cards.get("a/b c"), (feed) => feed.cards.getResult("a/b c")],
  "GET /card-subscriptions/{id}": [
    (feed) => feed.cardSubscriptions.get("a/b c"),
    (feed) => feed.cardSubscriptions.getResult("a/b c"),
  ],
  "GET /network-bulk-feeds/{id}": [
    (feed) => feed.networkBulkFeeds.get("a/b c"),
    (feed) => feed.networkBulkFeeds.getResult("a/b c"),
  ],
  "GET /transactions": [
    (feed) => feed.transactions.list().toArray({ max: 1 }),
    (feed) => feed.transactions.listResult(),
  ],
  "GET /transactions/{transactionId}": [
    (feed) => feed.transactions.get("a/b c"),
    (feed) => feed.transactions.getResult("a/b c"),
  ],
  "GET /transaction-messages/{id}": [
    (feed) => feed.transactionMessages.get("a/b c"),
    (feed) => feed.transactionMessages.getResult("a/b c"),
  ],
  "GET /bank-links": [
    (feed) => feed.bankLinks.list().toArray({ max: 1 }),
    (feed) => feed.bankLinks.listResult(),
  ],
  "PATCH /bank-links/{bankLinkId}": [
    (feed) => feed.bankLinks.complete("a/b c"),
    (feed) => feed.bankLinks.completeResult("a/b c"),
  ],
  "GET /bank-accounts": [
    (feed) => feed.bankAccounts.list().toArray({ max: 1 }),
    (feed) => feed.bankAccounts.listResult(),
  ],
  "GET /bank-accounts/{id}": [
    (feed) => feed.bankAccounts.get("a/b c"),
    (feed) => feed.bankAccounts.getResult("a/b c"),
  ],
  "GET /bank-transactions": [
    (feed) => feed.bankTransactions.list().toArray({ max: 1 }),
    (feed) => feed.bankTransactions.listResult(),
  ],
  "GET /bank-transactions/{subaccountId}/{id}": [
    (feed) => feed.bankTransactions.get("sub", "a/b c"),
    (feed) => feed.bankTransactions.getResult("sub", "a/b c"),
  ],
  "GET /transaction-matches": [
    (feed) => feed.transactionMatches.list().toArray({ max: 1 }),
    (feed) => feed.transactionMatches.listResult(),
  ],
  "GET /transaction-matches/{subaccountId}/{matchId}": [
    (feed) => feed.transactionMatches.get("sub", "a/b c"),
    (feed) => feed.transactionMatches.getResult("sub", "a/b c"),
  ],
};

const secured = Object.keys(operations).filter((key) => operations[key as OperationKey].secured);

test("every operation with a token has resource methods", () => {
  expect(Object.keys(CALLS)).toEqual(secured);
});

describe.each(Object.entries(CALLS))("%s", (key, [needs, call]) => {
  const { method, path } = operations[key as OperationKey];
  const wire = path.replace("{subaccountId}", "sub").replace(/\{\w+\}/, "a%2Fb%20c");
  const examples = responseExamples[key as OperationKey];
  const { body } = examples.at(-1) ?? examples[0];
  const page = body as { _embedded?: Record<string, unknown[]> };

  test("is sent to its path with the token, and returns the body", async () => {
    const server = await startTestServer(() => ({ body }));
    const given = await needs(clientOf(server));
    expect(server.requests).toMatchObject([
      { method, url: wire, headers: { authorization: "Bearer token-1" }, body: "" },
    ]);
    const isList = method === "GET" && !path.endsWith("}");
    expect(given).toEqual(
      isList
        ? Object.values(page._embedded ?? {})
            .flat()
            .slice(0, 1)
        : body,
    );
  });

  test("returns a result on success and failure", async () => {
    let status = 200;
    const server = await startTestServer(() => ({ status, body, headers: { "x-seen": "yes" } }));
    const feed = clientOf(server);
    const good = (await call(feed)) as Record<string, unknown>;
    expect(good).toMatchObject({ ok: true, status: 200, data: body });
    expect((good["headers"] as Headers).get("X-Seen")).toBe("yes");
    status = 404;
    expect(await call(feed)).toMatchObject({ ok: false, status: 404, error: body });
    expect(server.requests.map(({ url }) => url)).toEqual([wire, wire]);
    expect(server.requests[0]?.method).toBe(method);
  });

  test("is available through openapi-fetch", async () => {
    const server = await startTestServer(() => ({ body }));
    const feed = clientOf(server);
    const ids = { subaccountId: "sub", id: "a&b c", matchId: "a&b c", bankLinkId: "a&b c" };
    const init = { params: { path: { ...ids, transactionId: "a&b c" } } };
    const call = feed[method as "GET"] as (path: string, init: object) => Promise<unknown>;
    expect(await call(path, init)).toMatchObject({ data: body, response: { status: 200 } });
    expect(server.requests).toMatchObject([
      {
        method,
        url: wire.replace("%2F", "%26"),
        headers: { authorization: "Bearer token-1" },
        body: "",
      },
    ]);
  });
});

describe("an id that is not a path segment", () => {
  test.each(["", ".", "..", "...", "\ud800", undefined, null, 7, {}, ["x"]])(
    "%j is rejected",
    async (id) => {
      const server = await startTestServer(() => ({ body: {} }));
      const feed = clientOf(server);
      const bad = id as string;
      const calls = [
        feed.cards.get(bad),
        feed.cards.getResult(bad),
        feed.bankTransactions.get(bad, "x"),
        feed.bankTransactions.get("x", bad),
        feed.bankLinks.complete(bad),
        feed.GET("/cards/{id}", { params: { path: { id: bad } } }),
        feed.PATCH("/bank-links/{bankLinkId}", { params: { path: { bankLinkId: bad } } }),
      ];
      for (const call of calls) expect(await rejectionOf(call)).toMatchObject({ code: "usage" });
      expect([...server.requests, ...server.exchanges]).toEqual([]);
    },
  );

  test("is rejected if it is missing", async () => {
    const server = await startTestServer(() => ({ body: {} }));
    const call = clientOf(server).GET as (path: string) => Promise<unknown>;
    expect(await rejectionOf(call("/cards/{id}"))).toMatchObject({ code: "refused-link" });
    expect(server.requests).toEqual([]);
  });
});

test.each(["@127.0.0.2/cards", ".evil.example/cards", ":1/cards", "//evil/cards", "cards"])(
  "feed.GET rejects the path %j",
  async (path) => {
    const server = await startTestServer(() => ({ body: {} }));
    const get = clientOf(server).GET as (path: string) => Promise<unknown>;
    const error = await rejectionOf(get(path));
    // The Request constructor rejects some of these.
    if (!(error instanceof TypeError)) expect(error).toMatchObject({ code: "refused-link" });
    expect([...server.requests, ...server.exchanges]).toEqual([]);
  },
);

describe("a PATCH", () => {
  test.each([200, 201, 202, 204])("succeeds with %i and any body", async (status) => {
    const server = await startTestServer(() => ({
      status,
      ...(status !== 204 && { body: "done" }),
    }));
    const feed = clientOf(server);
    const data = status === 204 ? undefined : "done";
    expect(await feed.bankLinks.complete("x")).toBe(data);
    const result = await feed.bankLinks.completeResult("x");
    expect(result).toMatchObject({ ok: true, status });
    expect(result.data).toBe(data);
  });

  test("sends its body as JSON", async () => {
    const server = await startTestServer(() => ({ status: 204 }));
    await clientOf(server).bankLinks.complete("x", { body: { name: "é" } });
    expect(server.requests).toMatchObject([
      { method: "PATCH", body: '{"name":"é"}', headers: { "content-type": "application/json" } },
    ]);
  });
});

test("a GET fails with a 2xx without the specified body", async () => {
  const server = await startTestServer(() => ({ status: 202, body: {} }));
  expect(await clientOf(server).cards.getResult("x")).toMatchObject({ ok: false, status: 202 });
  expect(await rejectionOf(clientOf(server).cards.get("x"))).toMatchObject({ code: "http" });
});

test("a list's limit is sent by methods and by openapi-fetch", async () => {
  const server = await startTestServer(() => ({ body: { _links: {}, _embedded: { cards: [] } } }));
  const feed = clientOf(server);
  await feed.cards.list({ limit: 7 }).toArray({ max: 1 });
  await feed.cards.listResult({ limit: 100 });
  await feed.GET("/cards", { params: { query: { limit: 1 } } });
  expect(server.requests.map(({ url }) => url)).toEqual([
    "/cards?limit=7",
    "/cards?limit=100",
    "/cards?limit=1",
  ]);
});

test("a link is followed by its object or its href", async () => {
  const server = await startTestServer(({ url }) => ({ body: { url } }));
  const feed = clientOf(server);
  expect(await feed.follow({ href: "/cards/1" })).toEqual({ url: "/cards/1" });
  expect(await feed.follow("/elsewhere?x=%2F")).toEqual({ url: "/elsewhere?x=%2F" });
  expect(await feed.followResult(`${server.url}/cards/2`)).toMatchObject({
    ok: true,
    data: { url: "/cards/2" },
  });
});
