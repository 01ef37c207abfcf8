import { expect, test } from "vitest";
import { status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture, times } from "./fixture.ts";
import { rejectionOf } from "./test-server.ts";

test.each([
  [429, 60],
  [503, 60],
  // Less than maxRetryAfterMs, and more than timeoutMs.
  [429, 45],
  [503, 45],
])("no token is requested after a %i for its Retry-After of %i s", async (code, seconds) => {
  const { clock, server, feed } = await startFixture();
  server.plan(TOKEN_PATH, status(code, { "retry-after": String(seconds) }));
  const expected = { code: "http", status: code, method: "POST" };
  const burst = await Promise.allSettled(times(5, () => feed.cards.get("card-1")));
  for (const one of burst) expect(one).toMatchObject({ status: "rejected", reason: expected });
  expect(server.exchanges).toBe(1);

  for (const waitMs of [0, 1000, (seconds - 2) * 1000]) {
    await clock.advance(waitMs);
    const before = clock.elapsed;
    expect(await rejectionOf(feed.cards.get("card-1"))).toMatchObject(expected);
    expect(clock.elapsed).toBe(before);
  }
  expect(server.exchanges).toBe(1);

  await clock.advance(1000);
  await Promise.all(times(5, () => feed.cards.get("card-1")));
  expect(server.exchanges).toBe(2);
  expect(server.bearers).toEqual(times(5, () => "token-1"));
});

test("setting the clock back does not extend a token endpoint's Retry-After", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(TOKEN_PATH, status(429, { "retry-after": "45" }));
  await rejectionOf(feed.cards.get("card-1"));
  clock.jump(-3_600_000);
  await clock.advance(45_000);
  await feed.cards.get("card-1");
  expect(server.exchanges).toBe(2);
});

test("the pause after a failed background renewal blocks no call", async () => {
  const { clock, server, feed } = await startFixture({ retries: 0 });
  await feed.cards.get("card-1");
  await clock.advance(271_000);
  server.always(TOKEN_PATH, status(503, { "retry-after": "0" }));
  await feed.cards.get("card-1");
  await clock.idle();
  server.always(TOKEN_PATH, undefined);
  server.revoke();
  await feed.cards.get("card-1");
  expect(server.bearers.at(-1)).toBe("token-2");
});
