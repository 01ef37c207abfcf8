import { expect, test } from "vitest";
import { status, TOKEN_PATH } from "./feed-server.ts";
import { stage, times } from "./stage.ts";
import { rejectionOf } from "./world-server.ts";

test.each([
  [429, 60],
  [503, 60],
  // Less than maxRetryAfterMs, and more than timeoutMs.
  [429, 45],
  [503, 45],
])("a token endpoint that answers %i, Retry-After %i, is left alone", async (code, seconds) => {
  const { clock, server, feed } = await stage();
  server.plan(TOKEN_PATH, status(code, { "retry-after": String(seconds) }));
  const told = { code: "http", status: code, method: "POST" };
  const burst = await Promise.allSettled(times(5, () => feed.cards.get("card-1")));
  for (const one of burst) expect(one).toMatchObject({ status: "rejected", reason: told });
  expect(server.exchanges).toBe(1);

  for (const waitMs of [0, 1000, (seconds - 2) * 1000]) {
    await clock.advance(waitMs);
    const before = clock.elapsed;
    expect(await rejectionOf(feed.cards.get("card-1"))).toMatchObject(told);
    expect(clock.elapsed).toBe(before);
  }
  expect(server.exchanges).toBe(1);

  await clock.advance(1000);
  await Promise.all(times(5, () => feed.cards.get("card-1")));
  expect(server.exchanges).toBe(2);
  expect(server.bearers).toEqual(times(5, () => "token-1"));
});
