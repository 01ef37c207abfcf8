import { expect, test } from "vitest";
import { settle, until } from "../support/fake-clock.ts";
import { noResponse, type Responder, ResponseGate, reset, status } from "./feed-server.ts";
import { type ClientFixture, startFixture, times } from "./fixture.ts";

/** Starts calls in order; the server holds each until the test releases it. */
function start({ server, feed }: ClientFixture, ids: readonly string[], dam: ResponseGate) {
  for (const id of ids) server.always(`/cards/${id}`, dam.before(server.usually));
  return ids.map((id) => feed.cards.get(id));
}

test("at most maxConcurrent requests are pending at once", async () => {
  const set = await startFixture({ maxConcurrent: 5 });
  const dam = new ResponseGate();
  // The limit is the same for a second wave.
  for (const _ of ["first", "second"]) {
    const calls = start(set, times(23, String), dam);
    for (let left = 23; left > 0; left -= 5) {
      const now = Math.min(5, left);
      await until(() => dam.held === now);
      await settle();
      expect(dam.held).toBe(now);
      dam.release();
    }
    await Promise.all(calls);
  }
  expect(set.server.mostOpen).toBe(5);
});

test("maxConcurrent defaults to 64", async () => {
  const set = await startFixture();
  const dam = new ResponseGate();
  const calls = start(set, times(70, String), dam);
  await until(() => dam.held === 64);
  await settle();
  expect(dam.held).toBe(64);
  dam.release();
  await until(() => dam.held === 6);
  dam.release();
  await Promise.all(calls);
});

test("queued calls are sent in order", async () => {
  const set = await startFixture({ maxConcurrent: 1 });
  const dam = new ResponseGate();
  const ids = times(12, (n) => `card-${n}`);
  const calls = start(set, ids, dam);
  for (const _ of ids) {
    await until(() => dam.held === 1);
    dam.release();
  }
  await Promise.all(calls);
  const served = set.server.seen.map(({ path }) => path).filter((path) => path.includes("cards"));
  expect(served).toEqual(ids.map((id) => `/cards/${id}`));
});

test.each<[string, Responder]>([
  ["is reset", reset],
  ["gets a 404", status(404)],
  ["gets a 401", status(401)],
  ["gets a 503", status(503)],
])("a call that %s frees its slot", async (_, fault) => {
  const { clock, server, feed } = await startFixture({ maxConcurrent: 2, retries: 0 });
  for (let n = 0; n < 6; n++) server.always(`/cards/bad-${n}`, fault);
  const bad = times(6, (n) => feed.cards.get(`bad-${n}`));
  const good = times(6, (n) => feed.cards.get(`good-${n}`));
  const ends = await clock.skipDelays(Promise.allSettled([...bad, ...good]));
  expect(ends.map((end) => end.status)).toEqual([
    ...Array(6).fill("rejected"),
    ...Array(6).fill("fulfilled"),
  ]);
  expect(server.mostOpen).toBeLessThanOrEqual(2);
});

test("a call that times out frees its slot", async () => {
  const { clock, server, feed } = await startFixture({ maxConcurrent: 1, retries: 0 });
  server.plan("/cards/slow", noResponse);
  const slow = feed.cards.get("slow");
  const rejected = expect(slow).rejects.toMatchObject({ of: "attempt" });
  const next = feed.cards.get("next");
  await until(() => server.requests() === 1);
  await clock.advance(10_000);
  await rejected;
  await expect(next).resolves.toMatchObject({ id: "next" });
});

test("a call occupies no slot during a retry delay", async () => {
  const { clock, server, feed } = await startFixture({ maxConcurrent: 1, random: () => 1 });
  server.plan("/cards/bad", status(503));
  const bad = feed.cards.get("bad");
  await until(() => clock.pending.includes(250));
  await expect(feed.cards.get("good")).resolves.toMatchObject({ id: "good" });
  await clock.skipDelays(bad);
});

test("a call that times out in the queue is not sent", async () => {
  const set = await startFixture({ maxConcurrent: 1 });
  const dam = new ResponseGate();
  const [first] = start(set, ["first"], dam);
  await until(() => dam.held === 1);
  const queued = set.feed.cards.get("queued", { timeoutMs: 300 });
  const rejected = expect(queued).rejects.toMatchObject({ of: "call", attempts: 0 });
  await set.clock.advance(300);
  await rejected;
  dam.release();
  await first;
  await expect(set.feed.cards.get("next")).resolves.toMatchObject({ id: "next" });
  expect(set.server.requests("/cards/queued")).toBe(0);
});

test("the token exchange needs no slot", async () => {
  const { server, feed } = await startFixture({ maxConcurrent: 1 });
  await feed.cards.get("card-1");
  server.revoke();
  await Promise.all(times(10, () => feed.cards.get("card-1")));
  expect(server.exchanges).toBe(2);
});
