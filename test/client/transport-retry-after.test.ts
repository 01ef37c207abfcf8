import { expect, test } from "vitest";
import { FeedTimeoutError } from "../../src/client/index.ts";
import { settle, until } from "../support/fake-clock.ts";
import { status } from "./feed-server.ts";
import { type ClientFixture, startFixture, times } from "./fixture.ts";
import { rejectionOf } from "./test-server.ts";

const card = "/cards/card-1";

/** The delays before the second attempt of a call whose first response has this Retry-After. */
async function waits(
  { clock, server, feed }: ClientFixture,
  retryAfter: string,
): Promise<number[]> {
  server.plan(card, status(503, { "retry-after": retryAfter }));
  // The token is fetched first.
  await feed.cards.get("card-0");
  clock.durations.length = 0;
  await clock.skipDelays(feed.cards.get("card-1"));
  return clock.waits;
}

test.each([
  ["0", 0],
  ["1", 1000],
  ["29", 29_000],
])("a retry waits for Retry-After in seconds: %s", async (retryAfter, expected) => {
  expect(await waits(await startFixture({ timeoutMs: 60_000 }), retryAfter)).toEqual([expected]);
});

test("the delay is Retry-After plus a short random time", async () => {
  const set = await startFixture({ random: () => 0.5 });
  expect(await waits(set, "3")).toEqual([3125]);
});

test.each([
  ["Thu, 01 Jan 2026 00:00:20 GMT", 20_000],
  ["Thursday, 01-Jan-26 00:00:20 GMT", 20_000],
  ["Thu, 01 Jan 2026 00:00:00 GMT", 0],
  ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
])("a retry waits until a Retry-After date in the future: %s", async (date, expected) => {
  const set = await startFixture();
  await set.feed.cards.get("card-1");
  const [wait] = await waits(set, date);
  expect(wait).toBeGreaterThanOrEqual(expected - 1000);
  expect(wait).toBeLessThanOrEqual(expected);
});

test.each(["soon", "-1", "1.5", "2 minutes", "soon 2030", "1,2", "0x10", "1e3", "", "May 5"])(
  "a Retry-After that is neither seconds nor a date is ignored: '%s'",
  async (garbage) => {
    const { clock, server, feed } = await startFixture({ random: () => 0.5 });
    const fault = status(503, { "retry-after": garbage });
    server.plan(card, status(503), fault, fault);
    const call = clock.skipDelays(feed.cards.get("card-1"));
    await expect(call).rejects.toMatchObject({ retryAfterMs: undefined });
    expect(clock.waits).toEqual([125, 250]);
  },
);

test.each([
  ["61", 61_000],
  ["86400", 86_400_000],
  ["99999999999999999999", 1e23],
])("a Retry-After over maxRetryAfterMs fails the call: %s", async (retryAfter, retryAfterMs) => {
  const { clock, server, feed } = await startFixture({ timeoutMs: 120_000 });
  server.plan(card, status(503, { "retry-after": retryAfter }));
  const call = feed.cards.get("card-1");
  await expect(call).rejects.toMatchObject({ status: 503, attempts: 1, retryAfterMs });
  expect(server.requests(card)).toBe(1);
  expect(clock.elapsed).toBe(0);
});

test("a Retry-After beyond the deadline ends the call at once", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(card, status(503, { "retry-after": "5" }));
  const call = feed.cards.get("card-1", { timeoutMs: 4999 });
  await expect(call).rejects.toMatchObject({ status: 503, retryAfterMs: 5000 });
  expect(server.requests(card)).toBe(1);
  expect(clock.elapsed).toBe(0);
});

test("a 429's Retry-After delays the client's other calls", async () => {
  const { clock, server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.plan("/cards/busy", status(429, { "retry-after": "7" }));
  const busy = feed.cards.get("busy");
  await until(() => clock.pending.includes(7000));
  const siblings = times(20, (n) => feed.cards.get(`held-${n}`));
  await clock.advance(6999);
  expect(server.requests()).toBe(2);
  await clock.advance(1);
  await clock.skipDelays(Promise.all([busy, ...siblings]));
  expect(server.requests()).toBe(2 + 1 + 20);
});

test("a 429 delays queued calls", async () => {
  const { clock, server, feed } = await startFixture({ maxConcurrent: 1 });
  server.plan(card, status(429, { "retry-after": "7" }));
  const calls = [feed.cards.get("card-1"), ...times(5, (n) => feed.cards.get(`held-${n}`))];
  await until(() => clock.pending.includes(7000));
  await clock.advance(6999);
  expect(server.requests()).toBe(1);
  await clock.skipDelays(Promise.all(calls));
  expect(server.requests()).toBe(7);
});

test("delayed calls are sent at different times", async () => {
  let n = 0;
  const { clock, server, feed } = await startFixture({ random: () => (n++ % 10) / 10 });
  await feed.cards.get("card-1");
  server.plan(card, status(429, { "retry-after": "1" }));
  await feed.cards.get("card-1", { retries: 0 }).catch(() => {});
  clock.durations.length = 0;
  await clock.skipDelays(Promise.all(times(10, () => feed.cards.get("card-1"))));
  const delays = clock.waits;
  expect(new Set(delays).size).toBe(10);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(1000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(1250);
});

test("a call whose deadline is before the end of a hold ends at once", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(card, status(429, { "retry-after": "20" }));
  await feed.cards.get("card-1", { retries: 0 }).catch(() => {});
  const call = feed.cards.get("card-1", { timeoutMs: 10_001 });
  await expect(call).rejects.toMatchObject({ code: "timeout", of: "call", attempts: 0 });
  expect(clock.elapsed).toBe(0);
  expect(server.requests(card)).toBe(1);
});

test.each([
  ["a 429 without Retry-After", status(429)],
  ["a 503 with Retry-After", status(503, { "retry-after": "7" })],
])("%s delays no other call", async (_, fault) => {
  const { clock, server, feed } = await startFixture();
  server.plan("/cards/busy", fault);
  const busy = feed.cards.get("busy");
  await until(() => server.requests("/cards/busy") === 1 && server.open === 0);
  await settle();
  await feed.cards.get("card-1");
  expect(clock.elapsed).toBe(0);
  await clock.skipDelays(busy);
});

test("a hold lasts no longer than maxRetryAfterMs", async () => {
  const { clock, server, feed } = await startFixture({ maxRetryAfterMs: 3000 });
  server.plan(card, status(429, { "retry-after": "3600" }));
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({ status: 429, attempts: 1 });
  await clock.skipDelays(feed.cards.get("card-1"));
  expect(clock.elapsed).toBe(3000);
});

test("all calls complete within their attempts despite many 429s", async () => {
  const { clock, server, feed } = await startFixture({ maxConcurrent: 8, random: Math.random });
  // The server accepts 20 requests a second, and sends a Retry-After to the others.
  let second = -1;
  let taken = 0;
  const limited = (n: number) => `/cards/storm-${n}`;
  for (let n = 0; n < 60; n++) {
    server.always(limited(n), (response, seen) => {
      const current = Math.floor(clock.elapsed / 1000);
      if (current !== second) {
        second = current;
        taken = 0;
      }
      taken += 1;
      const reply = taken > 20 ? status(429, { "retry-after": "1" }) : server.usually;
      return reply(response, seen);
    });
  }
  const calls = times(60, (n) => feed.cards.get(`storm-${n}`));
  const cards = await clock.skipDelays(Promise.all(calls));
  expect(cards).toHaveLength(60);
  expect(server.requests()).toBeLessThanOrEqual(60 + 60);
  expect(server.mostOpen).toBeLessThanOrEqual(8);
  expect(clock.pending).toEqual([]);
});

test("calls to a server that always sends 429 respect their limits", async () => {
  const { clock, server, feed } = await startFixture();
  for (let n = 0; n < 30; n++) server.always(`/cards/${n}`, status(429, { "retry-after": "1" }));
  const done = await clock.skipDelays(
    Promise.allSettled(times(30, (n) => feed.cards.get(String(n)))),
  );
  expect(done.every((one) => one.status === "rejected")).toBe(true);
  // Fewer, because each response delays the others until some reach their deadline.
  expect(server.requests()).toBeLessThanOrEqual(90);
  expect(server.exchanges).toBe(1);
  expect(clock.elapsed).toBeLessThanOrEqual(30_000);
});

test("a call that ends because of a hold reports it, not a timeout", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(card, status(429, { "retry-after": "20" }));
  await feed.cards.get("card-1", { retries: 0 }).catch(() => {});
  const call = feed.cards.get("card-2", { timeoutMs: 10_001 });
  const error = (await rejectionOf(call)) as FeedTimeoutError;
  expect(error).toBeInstanceOf(FeedTimeoutError);
  expect(error).toMatchObject({ of: "call", attempts: 0 });
  expect(error.message).toContain("429");
  expect(error.message).not.toContain("took longer than");
  expect(clock.elapsed).toBe(0);
  expect(server.requests("/cards/card-2")).toBe(0);
});
