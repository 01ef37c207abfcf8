import { getEventListeners } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  FeedAbortedError,
  type FeedClientOptions,
  type Middleware,
} from "../../src/client/index.ts";
import { undiciTransport } from "../../src/client/undici/index.ts";
import { settle, until } from "../support/fake-clock.ts";
import { noResponse, ResponseGate, status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture, times } from "./fixture.ts";
import { memoryFixture, never, watched } from "./memory-service.ts";

const card = "/cards/card-1";
const aborted = { code: "aborted" };

test("a call with an aborted signal sends nothing", async () => {
  const { clock, server, feed } = await startFixture();
  const call = feed.cards.get("card-1", { signal: AbortSignal.abort() });
  await expect(call).rejects.toMatchObject({ ...aborted, method: "GET", path: card });
  await settle();
  expect(server.requests(card)).toBe(0);
  expect(clock.pending).toEqual([]);
});

test("an abort before the response closes the connection", async () => {
  const { server, feed } = await startFixture();
  server.plan(card, noResponse);
  const controller = new AbortController();
  const call = feed.cards.get("card-1", { signal: controller.signal });
  await until(() => server.requests(card) === 1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ ...aborted, attempts: 1 });
  await until(() => server.closed === 1);
});

test("an abort during the body closes the connection", async () => {
  const { server, feed } = await startFixture();
  server.plan(card, (response) => {
    response.writeHead(200).write("{");
  });
  const controller = new AbortController();
  const call = feed.cards.get("card-1", { signal: controller.signal });
  await until(() => server.requests(card) === 1);
  await settle();
  controller.abort();
  await expect(call).rejects.toMatchObject(aborted);
  await until(() => server.closed === 1);
});

test("an abort during a retry delay ends the call at once", async () => {
  const { clock, server, feed } = await startFixture({ random: () => 1 });
  server.plan(card, status(503));
  const controller = new AbortController();
  const call = feed.cards.get("card-1", { signal: controller.signal });
  await until(() => clock.pending.includes(250));
  controller.abort();
  await expect(call).rejects.toMatchObject({ ...aborted, attempts: 1 });
  await clock.advance(250);
  expect(server.requests(card)).toBe(1);
  expect(clock.pending).toEqual([]);
});

test("an abort during the delay after a timed-out attempt ends the call", async () => {
  const { clock, server, feed } = await startFixture({ random: () => 1 });
  server.plan(card, noResponse);
  const controller = new AbortController();
  const call = feed.cards.get("card-1", { signal: controller.signal });
  await until(() => server.requests(card) === 1);
  await clock.advance(10_000);
  await until(() => clock.pending.includes(250));
  await settle();
  controller.abort();
  await expect(call).rejects.toMatchObject(aborted);
  await clock.advance(250);
  expect(server.requests(card)).toBe(1);
});

test("an abort while waiting for a token ends only that call", async () => {
  const { server, feed } = await startFixture();
  const dam = new ResponseGate();
  server.plan(TOKEN_PATH, dam.before(server.usually));
  const controller = new AbortController();
  const call = feed.cards.get("card-1", { signal: controller.signal });
  const other = feed.cards.get("card-2");
  await until(() => dam.held === 1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ ...aborted, attempts: 0 });
  dam.release();
  await expect(other).resolves.toMatchObject({ id: "card-2" });
  expect(server.exchanges).toBe(1);
  expect(server.requests(card)).toBe(0);
});

test("an abort while a re-send waits for its token ends the call", async () => {
  const { server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.revoke();
  const dam = new ResponseGate();
  server.plan(TOKEN_PATH, dam.before(server.usually));
  const controller = new AbortController();
  const call = feed.cards.get("card-1", { signal: controller.signal });
  await until(() => dam.held === 1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ ...aborted, attempts: 1 });
  dam.release();
});

test("an abort in the queue frees only its own slot", async () => {
  const { server, feed } = await startFixture({ maxConcurrent: 2 });
  const dam = new ResponseGate();
  for (const id of ["a", "b", "d", "e"]) server.always(`/cards/${id}`, dam.before(server.usually));
  const running = [feed.cards.get("a"), feed.cards.get("b")];
  await until(() => dam.held === 2);
  const controller = new AbortController();
  const queued = feed.cards.get("c", { signal: controller.signal });
  const behind = [feed.cards.get("d"), feed.cards.get("e")];
  await settle();
  controller.abort();
  await expect(queued).rejects.toMatchObject({ ...aborted, attempts: 0 });
  await settle();
  expect(server.requests()).toBe(2);
  dam.release();
  await Promise.all(running);
  await until(() => dam.held === 2);
  dam.release();
  await Promise.all(behind);
  expect(server.requests("/cards/c")).toBe(0);
  expect(server.mostOpen).toBe(2);
});

test("an abort during a hold frees the slot", async () => {
  const { clock, server, feed } = await startFixture({ maxConcurrent: 1, retries: 0 });
  server.plan(card, status(429, { "retry-after": "5" }));
  await feed.cards.get("card-1").catch(() => {});
  const controller = new AbortController();
  const held = feed.cards.get("card-1", { signal: controller.signal });
  await until(() => clock.pending.includes(5000));
  controller.abort();
  await expect(held).rejects.toMatchObject(aborted);
  await clock.skipDelays(feed.cards.get("card-1"));
  expect(server.requests(card)).toBe(2);
});

test("listeners are removed from a signal after its calls", async () => {
  const { clock, server, feed } = await startFixture({ random: () => 1 });
  const { signal } = new AbortController();
  server.plan("/cards/1", status(503));
  server.plan("/cards/2", status(404));
  await clock.skipDelays(
    Promise.allSettled(times(50, (n) => feed.cards.get(String(n), { signal }))),
  );
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(clock.pending).toEqual([]);
});

test("an abort in middleware before it sends ends the call at once", async () => {
  const controller = new AbortController();
  const { clock, server, feed } = await startFixture({
    middleware: [
      (request, next) => {
        controller.abort();
        return next(request);
      },
    ],
  });
  server.always(card, noResponse);
  const call = watched(feed.cards.get("card-1", { signal: controller.signal }));
  await until(() => server.tokens.length === 1);
  await settle(50);
  expect(call).toMatchObject({ isSettled: true, error: aborted });
  expect(call.error).toBeInstanceOf(FeedAbortedError);
  expect(clock.elapsed).toBe(0);
  expect(clock.pending).toEqual([]);
});

test("an abort during a hanging transport ends the call at once", async () => {
  const controller = new AbortController();
  const { clock, feed, service } = memoryFixture();
  const cancelled = vi.fn();
  service.resource = (request) => {
    controller.abort();
    request.onCancel(cancelled);
    return never();
  };
  const call = watched(feed.cards.get("card-1", { signal: controller.signal }));
  await settle();
  expect(call).toMatchObject({ isSettled: true, error: aborted });
  expect(call.error).toBeInstanceOf(FeedAbortedError);
  expect(cancelled).toHaveBeenCalledTimes(1);
  expect(service.requests).toBe(1);
  expect(clock.pending).toEqual([]);
});

test.each<[string, () => Partial<FeedClientOptions>]>([
  ["fetch", () => ({})],
  [
    "undici",
    () => {
      const transport = undiciTransport();
      onTestFinished(transport.close);
      return { transport };
    },
  ],
])("by %s, an abort cancels both requests of middleware that sends two", async (_, options) => {
  const hedge: Middleware = (request, next) => Promise.race([next(request), next(request)]);
  const { server, feed } = await startFixture({ ...options(), middleware: [hedge] });
  server.always(card, noResponse);
  const controller = new AbortController();
  const call = watched(feed.cards.get("card-1", { signal: controller.signal }));
  await until(() => server.requests(card) === 2);
  controller.abort();
  await settle(200);
  expect(call.error).toBeInstanceOf(FeedAbortedError);
  expect({ closed: server.closed, open: server.open }).toEqual({ closed: 2, open: 0 });
});

test("middleware that sends again after an abort sends nothing", async () => {
  const again: Middleware = (request, next) => next(request).catch(() => next(request));
  const { clock, server, feed } = await startFixture({ middleware: [again] });
  server.always(card, noResponse);
  const controller = new AbortController();
  const call = watched(feed.cards.get("card-1", { signal: controller.signal }));
  await until(() => server.requests(card) === 1);
  controller.abort();
  await settle(200);
  expect(call.error).toBeInstanceOf(FeedAbortedError);
  expect(server.requests(card)).toBe(1);
  expect(clock.pending).toEqual([]);
});
