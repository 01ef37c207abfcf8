import { expect, test } from "vitest";
import type { FeedRequest, Middleware } from "../../src/client/index.ts";
import { until } from "../support/fake-clock.ts";
import { status } from "./feed-server.ts";
import { startFixture } from "./fixture.ts";

const card = "/cards/card-1";

test("middleware runs in order, the first outermost", async () => {
  const order: string[] = [];
  const step =
    (name: string): Middleware =>
    async (request, next) => {
      order.push(`${name} in`);
      const response = await next(request);
      order.push(`${name} out ${response.status}`);
      return response;
    };
  const { feed } = await startFixture({ middleware: [step("a"), step("b")] });
  await feed.cards.get("card-1");
  expect(order).toEqual(["a in", "b in", "b out 200", "a out 200"]);
});

test("middleware runs for every attempt and gets its number", async () => {
  const received: [string, number][] = [];
  const { clock, server, feed } = await startFixture({
    middleware: [
      (request, next) => {
        received.push([request.operation, request.attempt]);
        return next(request);
      },
    ],
  });
  server.plan(card, status(503), status(503));
  await clock.skipDelays(feed.cards.get("card-1"));
  expect(received).toEqual([1, 2, 3].map((n) => ["GET /cards/{id}", n]));
});

test("middleware sees no token or secret in requests and responses", async () => {
  const received: unknown[] = [];
  const { server, feed } = await startFixture({
    middleware: [
      async (request, next) => {
        const response = await next(request);
        received.push(request, response.text, [...response.headers]);
        return response;
      },
    ],
  });
  await feed.cards.get("card-1");
  server.revoke();
  await feed.cards.get("card-1");
  // Three attempts; the second one's token was rejected.
  expect(received).toHaveLength(9);
  expect(JSON.stringify(received)).not.toMatch(/token-\d|secret-1|Bearer/);
});

test("middleware may change headers; the token is still added", async () => {
  const { server, feed } = await startFixture({
    middleware: [
      (request, next) =>
        next({
          ...request,
          headers: { ...request.headers, "X-Trace": "1", Authorization: "mine" },
        }),
    ],
  });
  await feed.cards.get("card-1");
  const { headers } = server.seen.find(({ path }) => path === card) ?? {};
  expect(headers).toMatchObject({ "x-trace": "1", authorization: "Bearer token-1" });
});

test("middleware may respond in place of the server", async () => {
  const headers = new Headers();
  const { server, feed } = await startFixture({
    middleware: [async () => ({ status: 200, headers, text: '{"id":"canned"}' })],
  });
  await expect(feed.cards.get("card-1")).resolves.toEqual({ id: "canned" });
  expect(server.requests(card)).toBe(0);
});

test("a response of middleware is retried like a server's", async () => {
  const headers = new Headers();
  let count = 0;
  const { clock, server, feed } = await startFixture({
    middleware: [
      async (request, next) => (++count === 1 ? { status: 503, headers, text: "" } : next(request)),
    ],
  });
  await clock.skipDelays(feed.cards.get("card-1"));
  expect(server.requests(card)).toBe(1);
});

test("a call rejects with middleware's error, without a retry", async () => {
  const mine = new Error("mine");
  let count = 0;
  const { clock, server, feed } = await startFixture({
    middleware: [
      () => {
        count += 1;
        throw mine;
      },
    ],
  });
  await expect(clock.skipDelays(feed.cards.get("card-1"))).rejects.toBe(mine);
  expect(count).toBe(1);
  expect(server.requests(card)).toBe(0);
  expect(clock.pending).toEqual([]);
});

test("middleware may send a request to another path below the base URL", async () => {
  const { server, feed } = await startFixture({
    middleware: [
      (request, next) => next({ ...request, url: request.url.replace("card-1", "card-2") }),
    ],
  });
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "card-2" });
  expect(server.bearers).toEqual(["token-1"]);
});

test.each<[string, (request: FeedRequest, other: string) => string]>([
  ["another host", (_, other) => `${other}/cards/card-1`],
  ["another scheme", ({ url }) => url.replace("http:", "https:")],
  ["a user name", ({ url }) => url.replace("//", "//user@")],
  ["the same path in another form", ({ url }) => url.replace("/cards", "/x/../cards")],
])("middleware can't send the token to %s", async (_, address) => {
  const other = await startFixture();
  const { clock, server, feed } = await startFixture({
    middleware: [(request, next) => next({ ...request, url: address(request, other.server.url) })],
  });
  await expect(clock.skipDelays(feed.cards.get("card-1"))).rejects.toMatchObject({
    code: "refused-link",
  });
  expect(other.server.seen).toEqual([]);
  expect(server.requests()).toBe(0);
});

test("middleware is subject to the attempt timeout", async () => {
  let began = false;
  const hang = () => {
    began = true;
    return new Promise<never>(() => {});
  };
  const { clock, feed } = await startFixture({ middleware: [hang], retries: 0 });
  const call = feed.cards.get("card-1");
  const rejected = expect(call).rejects.toMatchObject({ code: "timeout", of: "attempt" });
  await until(() => began);
  await clock.advance(10_000);
  await rejected;
});
