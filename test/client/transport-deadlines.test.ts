import { expect, test } from "vitest";
import { settle, until } from "../support/fake-clock.ts";
import { noResponse, status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture } from "./fixture.ts";
import { memoryFixture, never, response, watched } from "./memory-service.ts";

const card = "/cards/card-1";

test("an attempt that times out is cancelled and retried", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(card, noResponse);
  const call = feed.cards.get("card-1");
  await until(() => server.requests(card) === 1);
  await clock.advance(9999);
  expect(server.closed).toBe(0);
  await clock.advance(1);
  await expect(call).resolves.toMatchObject({ id: "card-1" });
  await until(() => server.closed === 1);
  expect(server.requests(card)).toBe(2);
});

test("a timeout of the last attempt is reported as an attempt timeout", async () => {
  const { clock, server, feed } = await startFixture({ retries: 0, attemptTimeoutMs: 700 });
  server.plan(card, noResponse);
  const call = feed.cards.get("card-1");
  const rejected = expect(call).rejects.toMatchObject({
    code: "timeout",
    of: "attempt",
    attempts: 1,
    message: "GET /cards/card-1: took longer than the 700 ms of attemptTimeoutMs",
  });
  await until(() => server.requests(card) === 1);
  await clock.advance(700);
  await rejected;
});

test("an attempt's timeout includes the response body", async () => {
  const { clock, server, feed } = await startFixture({ retries: 0 });
  server.plan(card, (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"id":');
  });
  const call = feed.cards.get("card-1");
  const rejected = expect(call).rejects.toMatchObject({ code: "timeout", of: "attempt" });
  await until(() => server.requests(card) === 1);
  await clock.advance(10_000);
  await rejected;
  await until(() => server.closed === 1);
});

test("endless headers are cut off by the deadline", async () => {
  const { clock, server, feed } = await startFixture({ retries: 0 });
  server.plan(card, (response) => {
    for (const piece of "HTTP/1.1 200 OK\r\nContent-Ty") response.socket?.write(piece);
  });
  const call = feed.cards.get("card-1");
  const rejected = expect(call).rejects.toMatchObject({ code: "timeout", of: "attempt" });
  await until(() => server.requests(card) === 1);
  await clock.advance(10_000);
  await rejected;
  await until(() => server.closed === 1);
});

test("a call's deadline includes its attempts and delays", async () => {
  const { clock, server, feed } = await startFixture({ random: () => 1, retries: 9 });
  server.always(card, noResponse);
  const call = feed.cards.get("card-1", { timeoutMs: 2000, attemptTimeoutMs: 600 });
  const rejected = expect(call).rejects.toMatchObject({
    code: "timeout",
    of: "call",
    attempts: 3,
  });
  await until(() => server.requests(card) === 1);
  // Attempt 600, delay 250, attempt 600, delay 500, attempt 50.
  await clock.advance(600 + 250);
  await until(() => server.requests(card) === 2);
  await clock.advance(600 + 500);
  await until(() => server.requests(card) === 3);
  await clock.advance(49);
  expect(server.closed).toBe(2);
  await clock.advance(1);
  await rejected;
  await until(() => server.closed === 3);
  expect(clock.pending).toEqual([]);
});

test("a call's deadline applies if a cancelled attempt ends late", async () => {
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
  const { clock, server, feed } = await startFixture({
    // A fetch that rejects late after an abort, as if it had to close a socket first.
    fetch: (url, init) =>
      fetch(url, init).catch(async (error) => {
        await heard;
        throw error;
      }),
  });
  server.always(card, noResponse);
  const call = feed.cards.get("card-1", { timeoutMs: 15_000, attemptTimeoutMs: 10_000 });
  const rejected = expect(call).rejects.toMatchObject({ code: "timeout", of: "call" });
  await until(() => server.requests(card) === 1);
  await clock.advance(10_000);
  await until(() => server.requests(card) === 2);
  hear();
  await settle();
  await clock.advance(5000);
  await rejected;
  await until(() => server.closed === 2);
});

test("a call's deadline applies while it waits for a token", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(TOKEN_PATH, noResponse);
  const call = feed.cards.get("card-1", { timeoutMs: 500 });
  const rejected = expect(call).rejects.toMatchObject({ code: "timeout", of: "call", attempts: 0 });
  await until(() => server.exchanges === 1);
  await clock.advance(500);
  await rejected;
  expect(server.requests(card)).toBe(0);
});

test("no timer is left after calls succeed or fail", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(card, status(503), status(200), status(404));
  await clock.skipDelays(Promise.allSettled([feed.cards.get("card-1"), feed.cards.get("card-1")]));
  expect(clock.pending).toEqual([]);
});

test.each([
  ["attempts", never],
  ["delays", () => response(503)],
])("a clock that is set back does not extend a call's %s", async (_, resource) => {
  const { clock, feed, service } = memoryFixture({
    timeoutMs: 5000,
    attemptTimeoutMs: 1500,
    retries: 99,
    random: () => 0.9,
  });
  service.resource = resource;
  const call = watched(feed.cards.get("card-1"));
  await clock.advance(2000);
  expect(call.isSettled).toBe(false);
  clock.jump(-3_600_000);
  await clock.advance(3000);
  expect(call.isSettled).toBe(true);
  expect(clock.pending).toEqual([]);
});
