import { describe, expect, test, vi } from "vitest";
import type { FeedClientOptions, LogEntry } from "../../src/client/index.ts";
import { clientOf, type Reply, rejectionOf, startTestServer } from "./test-server.ts";

/** A client of a server with the given response, and its log entries. */
async function logged(response: () => Reply, options: Partial<FeedClientOptions> = {}) {
  const entries: LogEntry[] = [];
  const server = await startTestServer(response);
  const log = (entry: LogEntry) => entries.push(entry);
  return { feed: clientOf(server, { log, random: () => 0, ...options }), entries, server };
}

const HEADERS = {
  "x-request-id": "id-1",
  "retry-after": "0",
  "x-limit": "9",
  "set-cookie": "a=b",
  "www-authenticate": "Bearer",
  "x-api-token": "t",
};

test("a call's steps are logged", async () => {
  let count = 0;
  const { feed, entries } = await logged(
    () => {
      count += 1;
      return { status: count === 1 ? 503 : 200, headers: HEADERS, body: { id: "x" } };
    },
    { retries: 1 },
  );
  await feed.cards.get("1");
  const operation = "POST /auth/realms/{account_id}/protocol/openid-connect/token";
  expect(entries).toMatchObject([
    { level: "debug", event: "answer", operation, status: 200, attempt: 1 },
    { level: "info", event: "token", operation, lifetimeSeconds: 300 },
    {
      level: "debug",
      event: "answer",
      operation: "GET /cards/{id}",
      path: "/cards/1",
      status: 503,
      attempt: 1,
    },
    {
      level: "warn",
      event: "retry",
      operation: "GET /cards/{id}",
      path: "/cards/1",
      attempt: 1,
      delayMs: 0,
    },
    {
      level: "debug",
      event: "answer",
      operation: "GET /cards/{id}",
      path: "/cards/1",
      status: 200,
      attempt: 2,
    },
  ]);
  for (const { durationMs, event } of entries) {
    if (event === "answer") expect(durationMs).toBeGreaterThanOrEqual(0);
  }
});

test("an attempt without a response is logged with a one-line reason", async () => {
  const fetch = () => Promise.reject(new Error("broken\noff"));
  const { feed, entries } = await logged(() => ({}), { fetch });
  await rejectionOf(feed.cards.get("1"));
  expect(entries).toMatchObject([{ level: "warn", event: "failure", attempt: 1 }]);
  expect(entries[0]?.reason).toMatch(/: broken off$/);
});

describe("headers and query", () => {
  const call = async (options: Partial<FeedClientOptions>) => {
    const { feed, entries } = await logged(() => ({ headers: HEADERS, body: {} }), options);
    const headers = {
      "X-Tenant": "acme",
      Authorization: "own",
      Cookie: "c",
      "X-Request-Id": "mine",
    };
    await feed.follow("/cards?limit=5&cursor=opaque&offset=2&access_token=secret", { headers });
    return entries.find(({ path }) => path === "/cards");
  };

  test("show harmless values, and only the names of other parameters", async () => {
    const entry = await call({});
    expect(entry?.query).toEqual({ limit: "5", cursor: "***", offset: "2", access_token: "***" });
    expect(entry?.requestHeaders).toEqual({
      accept: expect.any(String),
      "x-request-id": "mine",
    });
    expect(entry?.answerHeaders).toEqual({
      "content-type": "application/json",
      date: expect.any(String),
      "x-request-id": "id-1",
      "retry-after": "0",
      ...(entry?.answerHeaders?.["content-length"] !== undefined && { "content-length": "2" }),
    });
    expect(entry?.path).not.toContain("?");
  });

  test("show the configured names in any case", async () => {
    const entry = await call({ logHeaders: ["x-tenant", "X-LIMIT"], logQuery: ["cursor"] });
    expect(entry?.query).toMatchObject({ limit: "5", cursor: "opaque" });
    expect(entry?.requestHeaders).toMatchObject({ "x-tenant": "acme", "x-request-id": "mine" });
    expect(entry?.answerHeaders).toMatchObject({ "x-limit": "9" });
  });

  test("never show values with secret names, even if configured", async () => {
    const names = ["authorization", "Cookie", "Set-Cookie", "x-api-token"];
    const entry = await call({ logHeaders: names, logQuery: ["access_token"] });
    expect(entry?.query?.["access_token"]).toBe("***");
    const shown = Object.keys({ ...entry?.requestHeaders, ...entry?.answerHeaders });
    for (const name of names) expect(shown).not.toContain(name.toLowerCase());
  });
});

test("the entry of a token exchange has no header that repeats the token", async () => {
  const entries: LogEntry[] = [];
  const body = { access_token: "new-token", expires_in: 300, token_type: "Bearer" };
  const headers = {
    "x-request-id": "id of new-token",
    "retry-after": "new-token",
    "x-a": "new-token",
  };
  const server = await startTestServer(
    () => ({ body: {} }),
    () => ({ headers, body }),
  );
  const log = (entry: LogEntry) => entries.push(entry);
  await clientOf(server, { log, logHeaders: ["x-a"] }).cards.get("1");
  expect(entries.map(({ event }) => event)).toEqual(["answer", "token", "answer"]);
  expect(JSON.stringify(entries)).not.toContain("new-token");
});

test("no entry has a body", async () => {
  for (const status of [200, 400, 401, 503]) {
    const { feed, entries } = await logged(() => ({ status, body: { id: "BODY" } }));
    await feed.cards.getResult("1", { validate: "warn" });
    await feed.bankLinks.completeResult("1", { body: { sent: "BODY" } });
    expect(entries.length).toBeGreaterThan(3);
    expect(JSON.stringify(entries)).not.toContain("BODY");
  }
});

test.each<[string, () => unknown]>([
  [
    "throws",
    () => {
      throw new Error("no disk");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no disk"))],
])("a log that %s does not end a call", async (_name, log) => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const { feed } = await logged(() => ({ body: { id: "x" } }), { log: log as () => void });
  expect(await feed.cards.get("1")).toEqual({ id: "x" });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test("a logger that modifies an entry has no effect", async () => {
  const log = (entry: LogEntry) => {
    for (const name of Object.keys(entry))
      delete (entry as unknown as Record<string, unknown>)[name];
    Object.assign(entry.requestHeaders ?? {}, { authorization: "other" });
  };
  const { feed, server } = await logged(() => ({ body: {} }), { log });
  await feed.cards.get("1");
  expect(server.requests[0]?.headers.authorization).toBe("Bearer token-1");
});

test("one-letter secrets are not masked in level, event and operation", async () => {
  const shownOf = async (options: Partial<FeedClientOptions>) => {
    let count = 0;
    const { feed, entries } = await logged(
      () => {
        count += 1;
        return { status: count === 1 ? 503 : 200, body: {} };
      },
      { retries: 1, validate: "warn", ...options },
    );
    await feed.transactions.get("1");
    return entries.map(({ level, event, operation }) => ({ level, event, operation }));
  };
  const usual = await shownOf({});
  expect(new Set(usual.map(({ event }) => event))).toEqual(
    new Set(["answer", "token", "retry", "findings"]),
  );
  expect(await shownOf({ accountId: "a", clientId: "e", clientSecret: "s" })).toEqual(usual);
});
