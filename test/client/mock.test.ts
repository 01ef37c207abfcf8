import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { type OperationKey, operations } from "../../generated/operations.ts";
import { type ResponseExample, responseExamples } from "../../generated/response-examples.ts";
import {
  createFeedClient,
  type FeedClient,
  type FeedClientOptions,
  FeedContractError,
  FeedHttpError,
  FeedNetworkError,
} from "../../src/client/index.ts";
import {
  createMockTransport,
  type MockOverrides,
  type MockTransport,
} from "../../src/client/mock/index.ts";
import type { TransportRequest } from "../../src/client/transport.ts";
import { make } from "../../src/fixtures/index.ts";
import { ROOT } from "../document.ts";
import { FakeClock } from "../support/fake-clock.ts";

const TOKEN = "POST /auth/realms/{account_id}/protocol/openid-connect/token";
const SECRET = "s3cret/+ canary";
const CARD = responseExamples["GET /cards/{id}"][0].body.id;

function clientOf(transport: MockTransport, options: Partial<FeedClientOptions> = {}): FeedClient {
  return createFeedClient({
    baseUrl: "https://feed.example/base/v1",
    accountId: "account",
    clientId: "client",
    clientSecret: SECRET,
    validate: "throw",
    transport,
    ...options,
  });
}

function feedOf(overrides: MockOverrides = {}, options: Partial<FeedClientOptions> = {}) {
  const mock = createMockTransport(overrides);
  return { mock, feed: clientOf(mock, options) };
}

/** A transport request, created without a client. */
function requestOf(request: Partial<TransportRequest>): TransportRequest {
  return {
    method: "GET",
    url: "https://feed.example/cards",
    headers: { Authorization: "Bearer token" },
    body: undefined,
    maxBytes: 1_000_000,
    signal: new AbortController().signal,
    onCancel: () => {},
    ...request,
  };
}

const examplesOf = (key: OperationKey): readonly ResponseExample[] => responseExamples[key];
const keys = Object.keys(operations) as OperationKey[];
const resources = keys.filter((key) => key.startsWith("GET ") && key.endsWith("}"));
const collections = keys.filter((key) => key.startsWith("GET ") && !key.endsWith("}"));

/** All resource links in a value. */
function linksIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { href } = value as { href?: unknown };
  const own = typeof href === "string" && href.startsWith("/") && !href.includes("?") ? [href] : [];
  return [...own, ...Object.values(value).flatMap(linksIn)];
}

describe("responses are the contract's examples", () => {
  test.each(resources)("%s returns each example at its own URL", async (key) => {
    const { feed } = feedOf();
    const seen = new Set<string>();
    for (const { body } of examplesOf(key)) {
      const { href } = (body as { _links: { self: { href: string } } })._links.self;
      // The first of several states of a resource is returned.
      if (!seen.has(href)) expect(await feed.follow(href)).toEqual(body);
      seen.add(href);
    }
    expect(seen.size).toBeGreaterThan(0);
  });

  test.each(collections)("%s can be iterated by links only", async (key) => {
    const { feed, mock } = feedOf();
    const path = key.slice("GET ".length);
    const [first] = examplesOf(key);
    const visited: unknown[] = [];
    let page: unknown = await feed.follow(path);
    for (;;) {
      visited.push(page);
      const next = (page as { _links: { next?: { href: string } } })._links.next;
      if (!next) break;
      page = await feed.follow(next);
    }
    expect(visited[0]).toEqual(first?.body);
    const hasMore = JSON.stringify(first?.body).includes('"next"');
    expect(visited.length > 1).toBe(hasMore);
    expect(new Set(visited.map((one) => JSON.stringify(one))).size).toBe(visited.length);
    expect(mock.calls.map(({ operation }) => operation)).toEqual([
      TOKEN,
      ...visited.map(() => key),
    ]);
  });

  test("a client's lists return their items with any limit", async () => {
    const { feed } = feedOf();
    expect(await feed.subaccounts.list().toArray({ max: 100 })).toHaveLength(2);
    expect(await feed.cards.list({ limit: 100 }).toArray({ max: 100 })).toHaveLength(8);
    expect(await feed.transactions.list().toArray({ max: 100 })).toHaveLength(7);
    for (const { list } of [feed.bankLinks, feed.bankAccounts, feed.transactionMatches]) {
      expect((await list().toArray({ max: 100 })).length).toBeGreaterThan(0);
    }
    expect((await feed.bankTransactions.list().toArray({ max: 9 })).length).toBe(5);
  });

  test("every item of every page can be fetched by its id", async () => {
    const { feed } = feedOf();
    for (const card of await feed.cards.list().toArray({ max: 100 })) {
      expect(await feed.cards.get(card.id)).toEqual(card);
    }
    for (const { id, _links } of await feed.transactions.list().toArray({ max: 100 })) {
      expect(await feed.transactions.get(id)).toMatchObject({ id });
      expect(await feed.follow(_links.self)).toMatchObject({ id });
    }
    for (const item of await feed.bankTransactions.list().toArray({ max: 100 })) {
      const { href = "" } = item._links?.self ?? {};
      expect(await feed.follow(href)).toMatchObject({ id: item.id });
    }
  });

  test("every example's links lead to valid responses", async () => {
    const { feed } = feedOf();
    const links = new Set(keys.flatMap((key) => linksIn(responseExamples[key])));
    expect(links.size).toBeGreaterThan(30);
    for (const link of links) {
      const { status } = await feed.followResult(link);
      // The contract lists bank links, but has no operation to get one.
      expect([link, status]).toEqual([link, link.startsWith("/bank-links/") ? 404 : 200]);
    }
  });

  test("the completion of a bank link has its example", async () => {
    const { feed, mock } = feedOf();
    const [{ body }] = responseExamples["PATCH /bank-links/{bankLinkId}"];
    expect(await feed.bankLinks.complete("a link", { body: { note: 1 } })).toEqual(body);
    expect(mock.calls.at(-1)).toMatchObject({ method: "PATCH", params: { bankLinkId: "a link" } });
  });

  test("an unknown id returns the first example", async () => {
    const { feed } = feedOf();
    const [{ body }] = responseExamples["GET /transactions/{transactionId}"];
    expect(await feed.transactions.get("mine")).toEqual(body);
    // The id may equal the name of a collection.
    expect(await feed.transactions.get("cards")).toEqual(body);
  });

  test("changing a response does not affect others", async () => {
    const { feed } = feedOf();
    const card = await feed.cards.get(CARD);
    Object.assign(card, { id: "changed" });
    Object.assign(card._links.self, { href: "/changed" });
    const [{ body }] = responseExamples["GET /cards/{id}"];
    expect(await feed.cards.get(CARD)).toEqual(body);
    expect(body.id).toBe(CARD);
  });
});

describe("invalid requests are rejected", () => {
  test("401 without an access token, before any override", async () => {
    const mock = createMockTransport({ "GET /cards": { status: 503 } });
    const without = [{}, { authorization: "" }, { authorization: "Basic eDp5" }];
    for (const headers of without) {
      const { status, headers: answered } = await mock(requestOf({ headers }));
      expect([status, answered.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
    expect(await mock(requestOf({}))).toMatchObject({ status: 503, text: "" });
  });

  test.each([
    ["GET", "/webhooks"],
    ["GET", "/cards/1/2"],
    ["GET", "/cards/"],
    ["DELETE", "/cards/1"],
    ["PATCH", "/cards/1"],
  ])("404 to %s %s, which the contract does not have", async (method, path) => {
    const mock = createMockTransport();
    const request = requestOf({ method, url: `https://feed.example${path}` });
    expect(await mock(request)).toMatchObject({ status: 404 });
    expect(mock.calls).toMatchObject([{ operation: undefined, method, path, params: {} }]);
  });

  test("a response over the client's size limit is rejected", async () => {
    const { feed } = feedOf(
      { "GET /cards/{id}": { body: { id: "é".repeat(600), _links: { self: { href: "/" } } } } },
      { maxResponseBytes: 1000, validate: "off" },
    );
    await expect(feed.cards.get("1")).rejects.toThrow(FeedContractError);
  });
});

describe("an override", () => {
  test("replaces the example", async () => {
    const body = make("transaction.updated", { descriptor: "MINE" });
    const { feed } = feedOf({ "GET /transactions/{transactionId}": { body } });
    expect((await feed.transactions.get(body.id)).descriptor).toBe("MINE");
  });

  test("is validated by the client like any response", async () => {
    const { feed } = feedOf({ "GET /cards": JSON.parse('{"body":{"cards":[]}}') });
    const result = feed.cards.listResult();
    await expect(result).rejects.toMatchObject({ code: "contract", status: 200 });
  });

  test("with only headers keeps the example's body", async () => {
    const { feed } = feedOf({ "GET /cards/{id}": { headers: { "x-request-id": "7" } } });
    const { headers, data } = await feed.cards.getResult(CARD);
    expect([headers.get("x-request-id"), data]).toMatchObject(["7", { id: CARD }]);
    expect(headers.get("content-type")).toBe("application/json");
  });

  test("with another status has its own body or none", async () => {
    const { feed, mock } = feedOf({ "GET /cards/{id}": { status: 404, body: { why: "gone" } } });
    expect(await feed.cards.getResult("1")).toMatchObject({ status: 404, error: { why: "gone" } });
    mock.on("GET /cards/{id}", { status: 410 });
    expect(await feed.cards.getResult("1")).toMatchObject({ status: 410, error: undefined });
    await expect(feed.cards.get("1")).rejects.toThrow(FeedHttpError);
  });

  test("of several replies returns each in order, then repeats the last", async () => {
    const { feed } = feedOf({ "GET /cards/{id}": [{ status: 404 }, { status: 410 }, {}] });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await feed.cards.getResult(CARD)).status);
    expect(statuses).toEqual([404, 410, 200, 200, 200]);
  });

  test("of a 503 with Retry-After is retried by the given clock", async () => {
    const clock = new FakeClock();
    const overrides: MockOverrides = {
      "GET /cards/{id}": [{ status: 503, headers: { "retry-after": "7" } }, {}],
    };
    const { feed, mock } = feedOf(overrides, { clock, random: () => 0 });
    expect(await clock.skipDelays(feed.cards.get(CARD))).toMatchObject({ id: CARD });
    expect(mock.callsOf("GET /cards/{id}")).toHaveLength(2);
    expect(clock.waits).toEqual([7000]);
  });

  test("of an Error is a network error", async () => {
    const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    const { feed, mock } = feedOf({ "GET /cards": reset }, { retries: 0, random: () => 0 });
    const failure = await feed.cards.listResult().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FeedNetworkError);
    expect(failure).toMatchObject({ systemCode: "ECONNRESET", attempts: 1 });
    mock.on("GET /cards", [reset, {}]);
    expect(await feed.cards.listResult({ retries: 1 })).toMatchObject({ status: 200 });
  });

  test("of a function gets the call, and may be async, fail or throw", async () => {
    const overrides: MockOverrides = {
      "GET /cards/{id}": async ({ params: { id }, path, query, headers }) => {
        await Promise.resolve();
        const href = `${path}?limit=${query["limit"]}&mine=${headers["x-mine"]}`;
        return { body: { id, _links: { self: { href } } } };
      },
    };
    const { feed, mock } = feedOf(overrides, { retries: 0 });
    const card = await feed.follow(`/cards/${CARD}?limit=1`, { headers: { "X-Mine": "2" } });
    const self = { href: `/cards/${CARD}?limit=1&mine=2` };
    expect(card).toEqual({ id: CARD, _links: { self } });
    const down = new Error("down");
    for (const reply of [() => down, async () => down, () => Promise.reject(down)]) {
      mock.on("GET /cards/{id}", reply);
      await expect(feed.cards.get("1")).rejects.toThrow(/down/);
    }
  });

  test("of a 401 makes the client get another token, once", async () => {
    const { feed, mock } = feedOf();
    await feed.cards.get(CARD);
    mock.on("GET /cards/{id}", [{ status: 401 }, {}]);
    expect(await feed.cards.get(CARD)).toMatchObject({ id: CARD });
    expect(mock.callsOf(TOKEN)).toHaveLength(2);
    mock.on("GET /cards/{id}", { status: 401 });
    await expect(feed.cards.get(CARD)).rejects.toMatchObject({ stage: "api" });
  });

  test("of the token exchange is used by the client", async () => {
    const { feed } = feedOf({ [TOKEN]: { status: 401 } });
    await expect(feed.cards.get(CARD)).rejects.toMatchObject({
      code: "authentication",
      stage: "token-exchange",
    });
  });

  test("is removed by an empty one, and ignored if undefined", async () => {
    const { feed, mock } = feedOf({ "GET /cards/{id}": { status: 404 }, "GET /cards": undefined });
    expect((await feed.cards.listResult()).status).toBe(200);
    expect((await feed.cards.getResult(CARD)).status).toBe(404);
    mock.on("GET /cards/{id}", {});
    expect((await feed.cards.getResult(CARD)).status).toBe(200);
  });
});

describe("bad use is rejected at once", () => {
  test.each([
    ["an unknown operation", { "GET /card/{id}": {} }, /no operation GET \/card\/\{id\}/],
    ["a name of an inherited property", { constructor: {} }, /no operation constructor/],
    ["a status out of range", { "GET /cards": { status: 99 } }, /a status from 200 to 599/],
    ["a status that is not a number", { "GET /cards": { status: "503" } }, /a status from 200/],
    ["an empty list of replies", { "GET /cards": [] }, /one reply or more/],
    ["a reply that is not a response", { "GET /cards": [{}, "503"] }, /must be a response such as/],
    ["null", { "GET /cards": null }, /must be a response such as/],
  ])("%s", (_what, overrides, message) => {
    const create = () => createMockTransport(overrides as MockOverrides);
    expect(create).toThrow(expect.objectContaining({ code: "usage" }));
    expect(create).toThrow(message);
  });

  test("an unknown operation, requested or overridden later", () => {
    const mock = createMockTransport();
    const usage = expect.objectContaining({ code: "usage" });
    expect(() => mock.callsOf("GET /card" as "GET /cards")).toThrow(usage);
    expect(() => mock.on("GET /card" as "GET /cards", {})).toThrow(usage);
  });

  test("an invalid reply of a function", async () => {
    const reply = (() => "503") as unknown as () => object;
    const { feed } = feedOf({ "GET /cards": reply }, { retries: 0 });
    await expect(feed.cards.listResult()).rejects.toThrow(/must be a response such as/);
  });
});

describe("the calls are recorded", () => {
  test("with operation, URL, parameters, headers and body", async () => {
    const { feed, mock } = feedOf();
    await feed.transactionMatches.get("sub 1", "m/2", { headers: { "X-Mine": "1" } });
    await feed.cards.listResult({ limit: 5 });
    await feed.bankLinks.complete("7", { body: { note: "é" } });
    const [exchange, match, list, completion] = mock.calls;
    expect(exchange).toMatchObject({
      operation: TOKEN,
      params: { account_id: "account" },
      body: { client_id: "client", client_secret: "***", grant_type: "client_credentials" },
    });
    expect(match).toEqual({
      operation: "GET /transaction-matches/{subaccountId}/{matchId}",
      method: "GET",
      url: "https://feed.example/base/v1/transaction-matches/sub%201/m%2F2",
      path: "/transaction-matches/sub%201/m%2F2",
      params: { subaccountId: "sub 1", matchId: "m/2" },
      query: {},
      headers: { accept: "application/json, */*;q=0.1", "x-mine": "1" },
      body: undefined,
    });
    expect(list).toMatchObject({ path: "/cards", query: { limit: "5" } });
    expect(completion).toMatchObject({ method: "PATCH", body: { note: "é" } });
    expect(mock.callsOf("GET /cards")).toEqual([list]);
  });

  test("with the raw body if it is neither JSON nor a form", async () => {
    const mock = createMockTransport();
    await mock(requestOf({ method: "PATCH", body: "{", url: "https://feed.example/bank-links/%" }));
    expect(mock.calls).toMatchObject([{ body: "{", params: { bankLinkId: "%" } }]);
  });

  test("without the client secret and access tokens", async () => {
    const { feed, mock } = feedOf({ "GET /cards/{id}": [{}, { status: 401 }, {}] });
    const tokens: string[] = [];
    const spied = Object.assign(async (request: TransportRequest) => {
      const response = await mock(request);
      const { access_token: token } = JSON.parse(response.text || "{}");
      if (token) tokens.push(token);
      return response;
    }, mock);
    const watched = clientOf(spied);
    await watched.cards.get(CARD);
    await watched.cards.get(CARD);
    await feed.transactions.list().toArray({ max: 100 });
    expect(new Set(tokens).size).toBe(2);
    const printed = [JSON.stringify(mock.calls), inspect(mock, { depth: 9, showHidden: true })];
    const form = new URLSearchParams({ s: SECRET }).toString().slice(2);
    for (const secret of [...tokens, SECRET, form, encodeURIComponent(SECRET), "Bearer"]) {
      for (const text of printed) expect(text).not.toContain(secret);
    }
    expect(printed[0]).toContain("client_credentials");
  });

  test("until a reset, which keeps the overrides", async () => {
    const { feed, mock } = feedOf({ "GET /cards/{id}": [{ status: 404 }, {}] });
    const statusOf = async () => (await feed.cards.getResult(CARD)).status;
    mock.on("GET /cards", { status: 500 });
    expect([await statusOf(), await statusOf()]).toEqual([404, 200]);
    mock.reset();
    expect(mock.calls).toEqual([]);
    expect([await statusOf(), await statusOf()]).toEqual([404, 200]);
    expect((await feed.cards.listResult()).status).toBe(200);
    expect(mock.calls).toHaveLength(3);
  });
});

const lists = [
  ...(["subaccounts", "cards", "transactions", "bankLinks", "bankAccounts"] as const),
  ...(["bankTransactions", "transactionMatches"] as const),
];

test.each(lists)("iteration of %s ends", async (name) => {
  const { feed } = feedOf();
  for (const options of [{}, { limit: 1 }, { limit: 4 }, { limit: 100 }]) {
    expect(await feed[name].list(options).toArray({ max: 100 })).not.toEqual([]);
  }
});

test("the documented example of createMockTransport works", async () => {
  const source = readFileSync(join(ROOT, "src/client/mock/mock-transport.ts"), "utf8");
  const [, example = ""] = /@example\n \* ```ts\n([\s\S]*?) \* ```/.exec(source) ?? [];
  const code = example.replaceAll(/^ \* ?/gm, "");
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const run = AsyncFunction("createFeedClient", "createMockTransport", "console", code);
  const printed: unknown[][] = [];
  const log = (...line: unknown[]) => printed.push(line);
  await run(createFeedClient, createMockTransport, { log });
  expect(printed).toEqual([[2]]);
});
