import ky from "ky";
import createClient from "openapi-fetch";
import { describe, expect, test } from "vitest";
import type { paths } from "../../generated/types.ts";
import { status } from "./feed-server.ts";
import { startFixture } from "./fixture.ts";
import { clientOf, NEVER, rejectionOf, startTestServer } from "./test-server.ts";

const card = { id: "1" };
const url = "/cards/1";

describe("feed.fetch accepts", () => {
  const INPUTS: Record<string, (base: string) => string | URL | Request> = {
    "a path": () => url,
    "an absolute URL": (base) => base + url,
    "a URL": (base) => new URL(base + url),
    "a Request": (base) => new Request(base + url),
  };

  test.each(Object.entries(INPUTS))("%s, and sends the token", async (_, input) => {
    const server = await startTestServer(() => ({ body: card }));
    const response = await clientOf(server).fetch(input(server.url));
    expect(await response.json()).toEqual(card);
    expect(server.requests).toMatchObject([
      { method: "GET", url, headers: { authorization: "Bearer token-1" } },
    ]);
  });

  test.each(Object.entries(INPUTS))("%s with an init, which overrides it", async (_, input) => {
    const server = await startTestServer(() => ({ body: card }));
    await clientOf(server).fetch(input(server.url), {
      method: "PATCH",
      headers: { authorization: "Bearer mine", "X-Own": "1", "content-type": "application/json" },
      body: '{"a":"é"}',
    });
    expect(server.requests).toMatchObject([
      {
        method: "PATCH",
        url,
        headers: {
          authorization: "Bearer token-1",
          "x-own": "1",
          "content-type": "application/json",
        },
        body: '{"a":"é"}',
      },
    ]);
  });

  test("a body that is not a string", async () => {
    const server = await startTestServer(() => ({ status: 204 }));
    const { fetch } = clientOf(server);
    await fetch(url, { method: "PATCH", body: new URLSearchParams({ a: "1 2" }) });
    await fetch(new Request(server.url + url, { method: "PUT", body: new Blob(["blob"]) }));
    const type = "application/x-www-form-urlencoded;charset=UTF-8";
    expect(server.requests).toMatchObject([
      { body: "a=1+2", headers: { "content-type": type } },
      { method: "PUT", body: "blob" },
    ]);
  });

  test("a path relative to a base URL that has a path", async () => {
    const server = await startTestServer(() => ({ body: card }));
    await clientOf(server, { baseUrl: `${server.url}/v1/` }).fetch("/cards?limit=1");
    expect(server.requests).toMatchObject([{ url: "/v1/cards?limit=1" }]);
  });
});

describe("feed.fetch returns a Response", () => {
  test.each([200, 201, 302, 304, 400, 404, 418, 500])("with status %i", async (code) => {
    const headers = { "X-Seen": "yes", location: "/elsewhere" };
    const body = code === 304 ? {} : { body: "text" };
    const server = await startTestServer(() => ({ status: code, headers, ...body }));
    const response = await clientOf(server).fetch(url, { redirect: "follow" });
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({ status: code, ok: code < 300 });
    expect(response.headers.get("x-seen")).toBe("yes");
    expect(await response.text()).toBe(code === 304 ? "" : "text");
    expect(server.requests).toHaveLength(1);
  });

  test("with a body that is read once, and again from a clone", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const response = await clientOf(server).fetch(url);
    const clone = response.clone();
    expect(response.bodyUsed).toBe(false);
    expect(await response.json()).toEqual(card);
    expect(response.bodyUsed).toBe(true);
    expect(await rejectionOf(response.text())).toBeInstanceOf(TypeError);
    expect(await new Response(clone.body).json()).toEqual(card);
  });

  test("with its URL and status text", async () => {
    const server = await startTestServer(() => ({ status: 404, statusText: "No Such Card" }));
    const response = await clientOf(server).fetch("/cards/1?a=1");
    expect(response).toMatchObject({
      url: `${server.url}/cards/1?a=1`,
      statusText: "No Such Card",
    });
  });

  test("with a status text that new Response() would reject", async () => {
    const { server, feed } = await startFixture();
    server.plan(url, ({ socket }) =>
      socket?.end("HTTP/1.1 404 a\u0001b\r\ncontent-length: 0\r\n\r\n"),
    );
    expect(await feed.fetch(url)).toMatchObject({ status: 404, statusText: "a\u0001b" });
  });

  test("of a HEAD with any Content-Length", async () => {
    const { server, feed } = await startFixture();
    server.plan(url, (response) => response.writeHead(200, { "content-length": 5e7 }).end());
    const response = await feed.fetch(url, { method: "HEAD" });
    expect(response.headers.get("content-length")).toBe("50000000");
    expect(await response.text()).toBe("");
  });

  test("with only the server's headers", async () => {
    const { server, feed } = await startFixture();
    server.plan(url, (response) => response.end("text"));
    expect((await feed.fetch(url)).headers.get("content-type")).toBeNull();
    const cookies = { "set-cookie": ["a=1", "b=2"] as never };
    const other = await startTestServer(() => ({ headers: cookies }));
    const response = await clientOf(other).fetch(url);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });
});

describe("feed.fetch rejects before sending", () => {
  test.each([
    "https://evil.example/cards",
    "//evil.example/cards",
    "cards",
    "",
    "/cards/../../x",
    "/cards\\x",
    "/cards/{id}",
    "data:,x",
  ])("%j", async (input) => {
    const server = await startTestServer(() => ({ body: card }));
    const { fetch } = clientOf(server, { baseUrl: `${server.url}/v1` });
    const refusal = { code: "refused-link", attempts: 0 };
    expect(await rejectionOf(fetch(input))).toMatchObject(refusal);
    if (URL.canParse(input)) {
      expect(await rejectionOf(fetch(new URL(input)))).toMatchObject(refusal);
      expect(await rejectionOf(fetch(new Request(input)))).toMatchObject(refusal);
    }
    expect([...server.requests, ...server.exchanges]).toEqual([]);
  });

  test("a path above the base URL, in any notation", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const { fetch } = clientOf(server, { baseUrl: `${server.url}/v1` });
    for (const path of ["/cards", "/v1/../cards", "/v1x/cards", "/v1"]) {
      const address = server.url + path;
      for (const input of [address, new URL(address), new Request(address)]) {
        expect(await rejectionOf(fetch(input))).toMatchObject({ code: "refused-link" });
      }
    }
    expect([...server.requests, ...server.exchanges]).toEqual([]);
  });

  test("an unencoded character, with the method of the Request", async () => {
    const { fetch } = clientOf(await startTestServer(() => ({ body: card })));
    expect(await rejectionOf(fetch("/cards?q=a b"))).toMatchObject({
      message: "GET (address): refused, it must be encoded",
    });
    const request = new Request("https://evil.example/cards", { method: "PATCH" });
    expect(await rejectionOf(fetch(request))).toMatchObject({ method: "PATCH" });
    const overridden = fetch(request, { method: "DELETE" });
    expect(await rejectionOf(overridden)).toMatchObject({ method: "DELETE" });
  });

  test("an invalid header, without showing its value", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const { fetch, GET } = clientOf(server);
    const headers = { "x-api-key": "s3cr\net" };
    for (const call of [fetch(url, { headers }), GET("/cards", { headers })]) {
      const error = await rejectionOf(call);
      expect(error).toMatchObject({ code: "usage" });
      expect(String(error)).not.toContain("s3cr");
    }
    expect(server.requests).toEqual([]);
  });

  test("invalid options", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const { fetch } = clientOf(server);
    expect(await rejectionOf(fetch(url, { retries: -1 }))).toMatchObject({ code: "usage" });
    const request = new Request(server.url + url, { method: "PATCH", body: "{}" });
    expect(await rejectionOf(fetch(request, { retries: -1 }))).toMatchObject({ code: "usage" });
    const validate = "trow" as "throw";
    expect(await rejectionOf(fetch(url, { validate }))).toMatchObject({ code: "usage" });
    expect(await rejectionOf(fetch(url, { body: "x" }))).toBeInstanceOf(TypeError);
    expect(server.requests).toEqual([]);
  });
});

describe("feed.fetch supports", () => {
  test("retries of a GET, and sends other methods once", async () => {
    const { clock, server, feed } = await startFixture();
    server.plan(url, status(503), status(503));
    expect((await clock.skipDelays(feed.fetch(url))).status).toBe(200);
    expect(server.requests(url)).toBe(3);
    for (const method of ["PATCH", "POST", "DELETE"]) {
      const path = `/bank-links/${method}`;
      server.plan(path, status(503));
      expect((await clock.skipDelays(feed.fetch(path, { method }))).status).toBe(503);
      expect(server.requests(path)).toBe(1);
    }
  });

  test("the caller's signal", async () => {
    const server = await startTestServer(() => NEVER);
    const { fetch } = clientOf(server);
    const inits = [
      (signal: AbortSignal) => fetch(url, { signal }),
      (signal: AbortSignal) => fetch(new Request(server.url + url, { signal })),
    ];
    for (const start of inits) {
      const controller = new AbortController();
      const pending = rejectionOf(start(controller.signal));
      await expect.poll(() => server.requests.length).toBeGreaterThan(0);
      controller.abort();
      expect(await pending).toMatchObject({ code: "aborted" });
      expect(await rejectionOf(start(controller.signal))).toMatchObject({ code: "aborted" });
      server.requests.length = 0;
    }
  });

  test("a deadline and a signal while the request body is read", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const { fetch } = clientOf(server);
    const cancelled: unknown[] = [];
    const init = () => {
      const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
      return { method: "PATCH", body, duplex: "half" } as const;
    };
    const late = await rejectionOf(fetch(url, { ...init(), timeoutMs: 30 }));
    expect(late).toMatchObject({ code: "timeout", of: "call", attempts: 0 });
    const aborted = fetch(url, { ...init(), signal: AbortSignal.timeout(30) });
    expect(await rejectionOf(aborted)).toMatchObject({ code: "aborted" });
    expect(cancelled).toHaveLength(2);
    const before = fetch(url, { ...init(), signal: AbortSignal.abort() });
    expect(await rejectionOf(before)).toMatchObject({ code: "aborted" });
    expect([...server.requests, ...server.exchanges]).toEqual([]);
  });

  test("a deadline, size limit and number of retries per call", async () => {
    const body = "x".repeat(201);
    const server = await startTestServer(({ url }) => (url === "/cards/slow" ? NEVER : { body }));
    const { fetch } = clientOf(server, { maxResponseBytes: 200 });
    const slow = rejectionOf(fetch("/cards/slow", { timeoutMs: 30 }));
    expect(await slow).toMatchObject({ code: "timeout", of: "call" });
    const attempt = rejectionOf(fetch("/cards/slow", { attemptTimeoutMs: 30, retries: 1 }));
    expect(await attempt).toMatchObject({ code: "timeout", of: "attempt", attempts: 2 });
    expect(await rejectionOf(fetch(url))).toMatchObject({ code: "contract" });
  });

  test("the token exchange, once after a 401", async () => {
    const server = await startTestServer(({ headers }) => ({
      status: headers.authorization === "Bearer token-1" ? 401 : 200,
      body: card,
    }));
    const { fetch } = clientOf(server);
    expect((await fetch(url)).status).toBe(401);
    expect(server.exchanges).toHaveLength(1);
  });

  test("validation of responses", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const { fetch } = clientOf(server, { validate: "throw" });
    for (const path of [url, "/cards?limit=1"]) {
      expect(await rejectionOf(fetch(path))).toMatchObject({ code: "contract" });
    }
    expect((await fetch(url, { validate: "off" })).status).toBe(200);
    expect((await fetch("/unknown")).status).toBe(200);
    expect((await fetch(url, { method: "PATCH" })).status).toBe(200);
  });

  test("middleware that sees the operation but not the token", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const seen: unknown[] = [];
    const { fetch } = clientOf(server, {
      middleware: [
        (request, next) => {
          seen.push(request.operation);
          expect(JSON.stringify(request.headers)).not.toContain("token");
          return next(request);
        },
      ],
    });
    await fetch(url, { headers: { authorization: "Bearer token" } });
    await fetch("/other/1/2");
    await fetch("/bank-links/1", { method: "PATCH" });
    await fetch("/bank-links/1", { method: "POST" });
    expect(seen).toEqual([
      "GET /cards/{id}",
      "GET /*",
      "PATCH /bank-links/{bankLinkId}",
      "POST /*",
    ]);
  });
});

describe("on feed.fetch", () => {
  test("openapi-fetch runs", async () => {
    const server = await startTestServer(({ url }) => ({
      status: url === "/cards" ? 404 : 200,
      body: card,
    }));
    const client = createClient<paths>({ baseUrl: server.url, fetch: clientOf(server).fetch });
    const { data } = await client.GET("/cards/{id}", { params: { path: { id: "1" } } });
    expect(data).toEqual(card);
    expect((await client.GET("/cards")).error).toEqual(card);
  });

  test("ky runs", async () => {
    const server = await startTestServer(({ url }) => ({
      status: url === "/cards" ? 404 : 200,
      body: card,
    }));
    const api = ky.create({ baseUrl: server.url, fetch: clientOf(server).fetch, retry: 0 });
    expect(await api.get("cards/1").json()).toEqual(card);
    expect(await rejectionOf(api.get("cards").json())).toMatchObject({ name: "HTTPError" });
    expect(await api.patch("bank-links/1", { json: { a: 1 } }).json()).toEqual(card);
    expect(server.requests.at(-1)).toMatchObject({ method: "PATCH", body: '{"a":1}' });
  });

  test("a function generated by orval runs", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const feed = clientOf(server);
    const getCard = async (id: string, options?: RequestInit, fetch = feed.fetch) => {
      const response = await fetch(`/cards/${id}`, { ...options, method: "GET" });
      const body = [204, 205, 304].includes(response.status) ? null : await response.text();
      const { status, headers } = response;
      return { data: body ? JSON.parse(body) : {}, status, headers };
    };
    expect(await getCard("1")).toMatchObject({ data: card, status: 200 });
  });
});
