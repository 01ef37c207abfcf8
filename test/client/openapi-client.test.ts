import { describe, expect, test } from "vitest";
import { FeedError, type Middleware } from "../../src/client/index.ts";
import { undiciTransport } from "../../src/client/undici/index.ts";
import { clientOf, NEVER, rejectionOf, startTestServer } from "./test-server.ts";

const card = { id: "1" };
const params = { path: { id: "1" } };
const PATH = "/cards/{id}";

describe("feed.GET", () => {
  test("returns data, error and response like openapi-fetch", async () => {
    const server = await startTestServer(({ url }) => ({
      status: url === "/cards/1" ? 200 : 404,
      headers: { "x-seen": "yes" },
      body: card,
    }));
    const feed = clientOf(server);
    const found = await feed.GET("/cards/{id}", { params: { path: { id: "1" } } });
    expect(Object.keys(found).sort()).toEqual(["data", "response"]);
    expect(found.data).toEqual(card);
    expect(found.response.headers.get("x-seen")).toBe("yes");
    const missing = await feed.GET("/cards/{id}", { params: { path: { id: "2" } } });
    expect(missing).toMatchObject({ error: card, response: { status: 404, ok: false } });
    expect(missing.data).toBeUndefined();
  });

  test("accepts call options", async () => {
    const server = await startTestServer(() => ({ status: 503 }));
    const feed = clientOf(server, { random: () => 0, retries: 2 });
    await feed.GET("/cards", { retries: 1 });
    expect(server.requests).toHaveLength(2);
    const slow = await startTestServer(() => NEVER);
    const error = await rejectionOf(clientOf(slow).GET("/cards", { timeoutMs: 30 }));
    expect(error).toBeInstanceOf(FeedError);
    expect(error).toMatchObject({ code: "timeout" });
  });

  test("rejects with the error of the fetch", async () => {
    const server = await startTestServer(
      () => ({ body: {} }),
      () => ({ status: 401 }),
    );
    expect(await rejectionOf(clientOf(server).GET("/cards"))).toMatchObject({
      code: "authentication",
      stage: "token-exchange",
    });
  });

  test("returns a response with a consumed body", async () => {
    const server = await startTestServer(() => ({ body: card, headers: { "set-cookie": "a=1" } }));
    for (const transport of [undefined, undiciTransport()]) {
      const feed = clientOf(server, transport && { transport });
      const { data, response } = await feed.GET(PATH, { params });
      expect(data).toEqual(card);
      expect(response).toMatchObject({ status: 200, bodyUsed: true });
      expect(() => response.clone()).toThrow(TypeError);
      expect(await rejectionOf(response.arrayBuffer())).toBeInstanceOf(TypeError);
      expect(response.headers.getSetCookie()).toEqual(["a=1"]);
    }
  });

  test("returns the response as changed by middleware", async () => {
    const server = await startTestServer(() => ({ status: 404, body: {} }));
    const feed = clientOf(server, {
      middleware: [
        async (request, next) => ({ ...(await next(request)), status: 200, text: '"new"' }),
      ],
    });
    const { data, response } = await feed.GET(PATH, { params });
    expect([data, response.status]).toEqual(["new", 200]);
  });

  test("accepts the options of openapi-fetch", async () => {
    const server = await startTestServer(({ body, url }) => ({ body: { ...card, body, url } }));
    const feed = clientOf(server);
    const received: unknown[] = [];
    const own = async (request: Request) => {
      received.push(request instanceof Request && new URL(request.url).pathname);
      return Response.json(card);
    };
    expect((await feed.GET(PATH, { params, fetch: own })).data).toEqual(card);
    expect(received).toEqual(["/cards/1"]);
    expect((await feed.GET(PATH, { params, fetch: undefined })).data).toMatchObject(card);
    expect((await feed.GET(PATH, { params, Request })).data).toMatchObject(card);
    const { data: blob } = await feed.GET(PATH, { params, parseAs: "blob" });
    expect(JSON.parse(await (blob as Blob).text())).toMatchObject(card);
    const query = { params, querySerializer: () => "a=1" };
    expect((await feed.GET(PATH, query)).data).toMatchObject({ url: "/cards/1?a=1" });
    expect(server.requests.every(({ headers }) => headers.authorization === "Bearer token-1")).toBe(
      true,
    );
  });

  test("sends the output of a bodySerializer as text", async () => {
    const server = await startTestServer(() => ({ body: card }));
    const sent: unknown[] = [];
    const see: Middleware = (request, next) => {
      sent.push(request.body);
      return next(request);
    };
    const feed = clientOf(server, { middleware: [see] });
    const link = { params: { path: { bankLinkId: "1" } }, body: {} };
    const bodySerializer = () => new URLSearchParams({ a: "1 2" });
    await feed.PATCH("/bank-links/{bankLinkId}", { ...link, bodySerializer });
    expect(sent).toEqual(["a=1+2"]);
  });

  test("keeps call options if middleware creates another Request", async () => {
    const slow = await startTestServer(() => NEVER);
    const onRequest = ({ request }: { request: Request }) => new Request(request);
    const call = clientOf(slow).GET(PATH, { params, timeoutMs: 30, middleware: [{ onRequest }] });
    expect(await rejectionOf(call)).toMatchObject({ code: "timeout", of: "call" });
  });
});
