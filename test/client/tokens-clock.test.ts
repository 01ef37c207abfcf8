import { expect, test } from "vitest";
import { until } from "../support/fake-clock.ts";
import { status } from "./feed-server.ts";
import { startFixture, times } from "./fixture.ts";

const twoMinutes = 120_000;
const card = "/cards/card-1";
const either = [
  ["ahead", twoMinutes],
  ["behind", -twoMinutes],
] as const;

test.each(either)(
  "a token lasts as long if the server's clock is 2 minutes %s",
  async (_, serverAheadMs) => {
    const { clock, server, feed } = await startFixture({ serverAheadMs });
    await feed.cards.get("card-1");
    await clock.advance(269_000);
    await feed.cards.get("card-1");
    await clock.idle();
    expect(server.exchanges).toBe(1);

    // Within a second, the resolution of a Date header.
    await clock.advance(2000);
    await feed.cards.get("card-1");
    await until(() => server.tokens.length === 2);
    await clock.idle();

    await clock.advance(301_000);
    await feed.cards.get("card-1");
    expect(server.exchanges).toBe(3);
    expect(server.bearers).toEqual(["token-1", "token-1", "token-1", "token-3"]);
  },
);

test.each(either)("setting the clock 2 minutes %s costs at most one exchange", async (_, ms) => {
  const { clock, server, feed } = await startFixture();
  await feed.cards.get("card-1");
  await clock.advance(5000);
  clock.jump(ms);
  for (let n = 0; n < 25; n++) {
    await clock.advance(10_000);
    await Promise.all(times(4, () => feed.cards.get("card-1")));
  }
  await clock.idle();
  expect(server.exchanges).toBe(1);
  expect(new Set(server.bearers)).toEqual(new Set(["token-1"]));

  for (let n = 0; n < 60; n++) {
    await clock.advance(10_000);
    await Promise.all(times(4, () => feed.cards.get("card-1")));
    await clock.idle();
  }
  // 855 seconds in total: the first token, and another every 270 seconds.
  expect(server.exchanges).toBe(4);
  expect(server.requests(card)).toBe(1 + 85 * 4);
});

test.each(either)(
  "no call fails if the clock is set 2 minutes %s near a token's expiry",
  async (_, ms) => {
    const { clock, server, feed } = await startFixture();
    await feed.cards.get("card-1");
    await clock.advance(265_000);
    clock.jump(ms);
    await Promise.all(times(10, () => feed.cards.get("card-1")));
    await clock.advance(40_000);
    await Promise.all(times(10, () => feed.cards.get("card-1")));
    await clock.idle();
    expect(server.exchanges).toBe(2);
  },
);

test("an unused token that expired while the clock was set back is replaced", async () => {
  const { clock, server, feed } = await startFixture();
  const controller = new AbortController();
  // The token has arrived; the call that requested it has ended.
  const call = feed.cards.get("card-1", { signal: controller.signal });
  await until(() => server.exchanges === 1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: "aborted" });
  await clock.idle();
  await clock.advance(310_000);
  clock.jump(-310_000);
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "card-1" });
  expect(server.exchanges).toBe(2);
});

test.each(either)(
  "a Retry-After date is relative to the server's clock, 2 minutes %s",
  async (_, serverAheadMs) => {
    const { clock, server, feed } = await startFixture({ serverAheadMs });
    await feed.cards.get("card-1");
    const date = new Date(clock.now() + serverAheadMs + 7000).toUTCString();
    server.plan(card, status(503, { "retry-after": date }));
    clock.durations.length = 0;
    await clock.skipDelays(feed.cards.get("card-1"));
    const [wait] = clock.waits;
    expect(wait).toBeGreaterThanOrEqual(6000);
    expect(wait).toBeLessThanOrEqual(8000);
  },
);

test("setting the clock back does not extend a hold", async () => {
  const { clock, server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.plan("/cards/busy", status(429, { "retry-after": "5" }));
  await feed.GET("/cards/{id}", { params: { path: { id: "busy" } }, retries: 0 });
  clock.jump(-twoMinutes);
  await clock.skipDelays(feed.cards.get("card-1"));
  expect(clock.elapsed).toBeLessThanOrEqual(5000);
  expect(server.requests(card)).toBe(2);
});
