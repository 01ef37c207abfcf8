import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import {
  FeedAbortedError,
  FeedAuthenticationError,
  FeedContractError,
  FeedError,
  FeedHttpError,
  FeedLinkError,
  FeedNetworkError,
  FeedTimeoutError,
} from "../../src/client/index.ts";
import { TxfeedError } from "../../src/index.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { freePort, serve } from "../support/local-server.ts";
import { credentials } from "./credentials.ts";
import { clientOf, mint, NEVER, type Reply, rejectionOf, startTestServer } from "./test-server.ts";

/** The error of a call to a server with the given response. */
async function errorOf(
  reply: Reply | Promise<Reply>,
  options: Parameters<typeof clientOf>[1] = {},
): Promise<FeedError> {
  const server = await startTestServer(() => reply);
  const feed = clientOf(server, { random: () => 0, ...options });
  return (await rejectionOf(feed.cards.get("c 1"))) as FeedError;
}

/** Starts a server that sends the raw text and closes the connection. */
async function startHangingUp(response: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(response));
  });
  return serve(server);
}

const CALL_FACTS = { method: "GET", path: "/cards/c%201" };

describe("http", () => {
  test.each([201, 204, 301, 304, 400, 403, 404, 409, 418, 500, 503])("%i", async (status) => {
    const error = await errorOf({ status });
    expect(error).toBeInstanceOf(FeedHttpError);
    expect(error).not.toBeInstanceOf(FeedAuthenticationError);
    expect(error).toMatchObject({ ...CALL_FACTS, code: "http", status, attempts: 1 });
    expect(error.message).toMatch(new RegExp(`^GET /cards/c%201: status ${status}`));
  });

  test("with the number of attempts", async () => {
    const error = await errorOf({ status: 503 }, { retries: 2 });
    expect(error).toMatchObject({ code: "http", status: 503, attempts: 3 });
    expect(error.message).toBe("GET /cards/c%201: status 503, after 3 attempts");
  });

  test.each<[string, Reply, unknown]>([
    ["JSON", { body: { why: ["x"] } }, { why: ["x"] }],
    ["JSON with any content type", { body: '{"a":1}' }, { a: 1 }],
    ["a JSON text", { body: '"x"' }, "x"],
    ["a text", { body: "<h1>No</h1>" }, "<h1>No</h1>"],
    ["half JSON", { body: '{"a":' }, '{"a":'],
    ["nothing", {}, undefined],
  ])("has a body of %s", async (_name, reply, body) => {
    const error = (await errorOf({
      status: 400,
      headers: { "x-why": "so" },
      ...reply,
    })) as FeedHttpError;
    expect(error.body).toEqual(body);
    expect(error.headers.get("X-Why")).toBe("so");
  });

  test.each([
    ["7", 7000],
    ["0", 0],
    [new Date(Date.parse("2025-03-04T12:00:30Z")).toUTCString(), 30_000],
    ["soon", undefined],
    [undefined, undefined],
  ])("has retryAfterMs of Retry-After %s", async (value, expected) => {
    const now = Date.parse("2025-03-04T12:00:00Z");
    const headers = { date: new Date(now).toUTCString(), ...(value && { "retry-after": value }) };
    const clock = new FakeClock(now);
    const server = await startTestServer(
      () => ({ status: 503, headers }),
      async (request) => ({ ...(await mint()(request)), headers: { date: headers.date } }),
    );
    const error = (await rejectionOf(clientOf(server, { clock }).cards.get("1"))) as FeedHttpError;
    expect(error.retryAfterMs).toBe(expected);
  });
});

describe("authentication", () => {
  test("of the API", async () => {
    const error = await errorOf({ status: 401, body: { why: "no" } });
    expect(error).toBeInstanceOf(FeedAuthenticationError);
    expect(error).toBeInstanceOf(FeedHttpError);
    expect(error).toMatchObject({
      ...CALL_FACTS,
      code: "authentication",
      stage: "api",
      status: 401,
    });
    expect((error as FeedHttpError).body).toEqual({ why: "no" });
  });

  test("of the token exchange, with its path template", async () => {
    const server = await startTestServer(
      () => ({ body: {} }),
      () => ({ status: 401, body: "no" }),
    );
    const error = await rejectionOf(clientOf(server).cards.get("1"));
    expect(error).toBeInstanceOf(FeedAuthenticationError);
    expect(error).toMatchObject({
      code: "authentication",
      stage: "token-exchange",
      method: "POST",
      path: "/auth/realms/{account_id}/protocol/openid-connect/token",
      status: 401,
      attempts: 1,
      body: "no",
    });
    expect(server.requests).toEqual([]);
  });
});

describe("network", () => {
  test("if the connection is refused", async () => {
    const port = await freePort();
    const server = { url: `http://127.0.0.1:${port}`, requests: [], exchanges: [] };
    const error = await rejectionOf(clientOf(server).cards.get("1"));
    expect(error).toBeInstanceOf(FeedNetworkError);
    const systemCode = "ECONNREFUSED";
    expect(error).toMatchObject({ code: "network", method: "POST", attempts: 1, systemCode });
  });

  test.each([
    ["before a response", ""],
    ["within the head", "HTTP/1.1 200 OK\r\ncontent-"],
    ["within the body", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"],
    ["within a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"],
    ["without an HTTP response", "SSH-2.0-x\r\n"],
  ])("if the connection ends %s", async (_name, response) => {
    const token = await startTestServer(() => ({ body: {} }));
    const url = await startHangingUp(response);
    const fetch: typeof globalThis.fetch = (at, init) =>
      globalThis.fetch(`${at}`.includes("/cards") ? `${url}/cards/1` : `${at}`, init);
    const feed = clientOf(token, { fetch: fetch as never });
    const error = await rejectionOf(feed.cards.get("1"));
    expect(error).toBeInstanceOf(FeedNetworkError);
    expect(error).toMatchObject({ code: "network", path: "/cards/1", attempts: 1 });
  });

  test.each([["two\nlines"], ["carriage\r\nreturn\ttab"]])("in one line of %j", async (message) => {
    const server = await startTestServer(() => ({ body: {} }));
    const fetch = () => Promise.reject(new Error(message));
    const error = (await rejectionOf(clientOf(server, { fetch }).cards.get("1"))) as Error;
    expect(error.message).toMatch(/^POST .*: (two lines|carriage return tab)$/);
  });

  test.each([
    ["undefined", undefined],
    ["null", null],
    ["a text", "no"],
    ["a value that is not text", Object.create(null)],
    [
      "an error whose properties throw",
      new Proxy(new Error(), {
        get: () => {
          throw 1;
        },
      }),
    ],
  ])("if fetch throws %s", async (_name, thrown) => {
    const server = await startTestServer(() => ({ body: {} }));
    const fetch = () => Promise.reject(thrown);
    const error = await rejectionOf(clientOf(server, { fetch }).cards.get("1"));
    expect(error).toBeInstanceOf(FeedNetworkError);
  });
});

describe("timeout", () => {
  test.each([
    ["attempt", { attemptTimeoutMs: 20 }],
    ["call", { timeoutMs: 20 }],
  ])("of the %s", async (of, options) => {
    const server = await startTestServer(() => NEVER);
    const feed = clientOf(server);
    await feed.follow("/warm", { timeoutMs: 1000, attemptTimeoutMs: 100 }).catch(() => {});
    const error = await rejectionOf(feed.cards.get("c 1", options));
    expect(error).toBeInstanceOf(FeedTimeoutError);
    expect(error).toMatchObject({
      ...CALL_FACTS,
      code: "timeout",
      of,
      attempts: 1,
      status: undefined,
    });
    await server.requests.at(-1)?.brokenOff;
  });
});

describe("aborted", () => {
  test("before anything is sent", async () => {
    const fetch = vi.fn(() => Promise.reject(new Error("never")));
    const server = await startTestServer(() => NEVER);
    const { cards } = clientOf(server, { fetch });
    const error = await rejectionOf(cards.get("c 1", { signal: AbortSignal.abort() }));
    expect(error).toBeInstanceOf(FeedAbortedError);
    expect(error).toMatchObject({ ...CALL_FACTS, code: "aborted", attempts: 0 });
    expect(fetch).not.toHaveBeenCalled();
  });

  test("while waiting for a response", async () => {
    const server = await startTestServer(() => NEVER);
    const controller = new AbortController();
    const { signal } = controller;
    const pending = rejectionOf(clientOf(server).cards.get("c 1", { signal }));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    controller.abort(new Error("mine"));
    expect(await pending).toMatchObject({ ...CALL_FACTS, code: "aborted", attempts: 1 });
    await server.requests[0]?.brokenOff;
  });

  test("while waiting for a token, whose failure is then ignored", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const controller = new AbortController();
    const fetch = () =>
      new Promise<Response>((_, reject) => {
        controller.signal.addEventListener("abort", () => reject(new Error("no")));
      });
    const server = await startTestServer(() => NEVER);
    const { signal } = controller;
    const pending = rejectionOf(clientOf(server, { fetch }).cards.get("c 1", { signal }));
    controller.abort();
    expect(await pending).toMatchObject({ ...CALL_FACTS, code: "aborted", attempts: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("contract", () => {
  test.each(["", "no", "{"])("if a 200 is the text %j", async (body) => {
    const error = await errorOf({ body });
    expect(error).toBeInstanceOf(FeedContractError);
    expect(error).toMatchObject({ ...CALL_FACTS, code: "contract", status: 200, issues: [] });
  });

  test("if a response is too long", async () => {
    const error = await errorOf({ body: { long: "x".repeat(999) } }, { maxResponseBytes: 900 });
    expect(error).toMatchObject({ ...CALL_FACTS, code: "contract", issues: [] });
    expect(error.message).toContain("900");
  });

  test.each<[string, unknown]>([
    ["empty", ""],
    ["null", null],
    ["a list", []],
    ["without a token", { expires_in: 300, token_type: "Bearer" }],
    ["an empty token", { access_token: "", expires_in: 300, token_type: "Bearer" }],
    ["a token of two lines", { access_token: "a\nb", expires_in: 300, token_type: "Bearer" }],
    ["without a type", { access_token: "a", expires_in: 300 }],
    ["of another type", { access_token: "a", expires_in: 300, token_type: "mac" }],
    ["without a lifetime", { access_token: "a", token_type: "Bearer" }],
    ["a lifetime of 0", { access_token: "a", expires_in: 0, token_type: "Bearer" }],
  ])("if the token response is %s", async (_name, body) => {
    const server = await startTestServer(
      () => ({ body: {} }),
      () => ({ body: body === null ? "null" : body }),
    );
    const error = await rejectionOf(clientOf(server).cards.get("1"));
    expect(error).toMatchObject({ code: "contract", method: "POST", status: 200 });
    expect(server.requests).toEqual([]);
  });

  test("if a body breaks the contract, with every issue", async () => {
    const error = await errorOf({ body: { id: 7 } }, { validate: "throw" });
    expect(error).toMatchObject({ ...CALL_FACTS, code: "contract", status: 200 });
    const { issues } = error as FeedContractError;
    expect(issues.length).toBeGreaterThan(0);
    for (const { level, requirement } of issues) {
      expect([level, requirement]).toEqual(["error", expect.stringMatching(/^[A-Z]+-\d\d$/)]);
    }
    expect(error.message).toContain(issues[0]?.requirement);
  });
});

test("refused-link", async () => {
  const server = await startTestServer(() => ({ body: {} }));
  const error = await rejectionOf(clientOf(server).follow("https://evil.example/cards"));
  expect(error).toBeInstanceOf(FeedLinkError);
  expect(error).toMatchObject({ code: "refused-link", method: "GET", attempts: 0 });
  // The message omits the link, which may contain anything.
  expect((error as Error).message).toBe("GET (link): refused, it leads to another origin");
});

test.each(["accountId", "clientId", "clientSecret", "baseUrl"])("usage, without %s", (name) => {
  const options = { ...credentials("https://feed.example"), [name]: "" };
  const create = () => clientOf({ url: "", requests: [], exchanges: [] }, options);
  expect(create).toThrow(expect.objectContaining({ code: "usage", name: "TxfeedError" }));
});

test("every error code is in the table of codes, and tested here", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  const table = [...read("../../src/errors.ts").matchAll(/^ \* \| `([a-z-]+)` \|/gm)];
  const codes = table.map(([, code]) => code);
  const union = read("../../src/errors.ts").split("type ErrorCode =")[1]?.split(";")[0] ?? "";
  expect(codes).toEqual([...union.matchAll(/"([a-z-]+)"/g)].map(([, code]) => code));
  const thrown = ["http", "authentication", "network", "timeout", "aborted", "contract"];
  for (const code of [...thrown, "refused-link", "usage"]) {
    expect(codes).toContain(code);
    expect(read("./errors.test.ts")).toContain(`code: "${code}"`);
  }
});

test("a printed error is one line without the server's text", async () => {
  const reply = {
    status: 500,
    statusText: "SAID",
    headers: { "x-said": "SAID" },
    body: { said: "SAID" },
  };
  for (const status of [500, 401]) {
    const error = await errorOf({ ...reply, status });
    expect(error).toBeInstanceOf(FeedError);
    expect(error).toBeInstanceOf(TxfeedError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(`FeedError [${error.code}]`);
    expect(error.message).not.toMatch(/[\r\n]/);
    expect(error.cause).toBeUndefined();
    const spread = { ...error };
    const printed = [
      inspect(error, { depth: 10, showHidden: true, getters: false }),
      JSON.stringify(error),
      JSON.stringify(spread),
      inspect(structuredClone(error)),
      String(error),
      error.stack,
    ];
    for (const text of printed) expect(text).not.toContain("SAID");
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      code: error.code,
      method: "GET",
      path: "/cards/c%201",
      attempts: 1,
      status,
    });
    expect(Object.keys(spread)).not.toContain("body");
  }
});
