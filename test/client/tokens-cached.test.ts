import { expect, test } from "vitest";
import { settle, until } from "../support/fake-clock.ts";
import { ResponseGate, reset, status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture, times } from "./fixture.ts";

const card = "/cards/card-1";

test("50 concurrent calls without a token make 1 exchange", async () => {
  const { server, feed } = await startFixture();
  const cards = await Promise.all(times(50, (n) => feed.cards.get(`card-${n}`)));
  expect(cards).toHaveLength(50);
  expect(server.exchanges).toBe(1);
  expect(server.requests()).toBe(50);
});

test("calls that start during the first exchange wait for it", async () => {
  const { server, feed } = await startFixture();
  const dam = new ResponseGate();
  server.plan(TOKEN_PATH, dam.before(server.usually));
  const first = feed.cards.get("card-1");
  await until(() => dam.held === 1);
  const second = feed.cards.get("card-1");
  await settle();
  dam.release();
  await Promise.all([first, second]);
  expect(server.exchanges).toBe(1);
});

test.each([
  { lifetimeSeconds: 300, keptSeconds: 269, renewedSeconds: 270 },
  { lifetimeSeconds: 1000, keptSeconds: 969, renewedSeconds: 970 },
  { lifetimeSeconds: 100, keptSeconds: 89, renewedSeconds: 90 },
])(
  "a token for $lifetimeSeconds s is renewed in the background after $renewedSeconds s",
  async ({ lifetimeSeconds, keptSeconds, renewedSeconds }) => {
    const { clock, server, feed } = await startFixture({ lifetimeSeconds });
    await feed.cards.get("card-1");

    await clock.advance(keptSeconds * 1000);
    await feed.cards.get("card-1");
    await settle();
    expect(server.exchanges).toBe(1);

    await clock.advance((renewedSeconds - keptSeconds) * 1000);
    const dam = new ResponseGate();
    server.plan(TOKEN_PATH, dam.before(server.usually));
    await Promise.all(times(5, () => feed.cards.get("card-1")));
    await until(() => dam.held === 1);
    expect(server.exchanges).toBe(2);
    expect(new Set(server.bearers)).toEqual(new Set(["token-1"]));

    dam.release();
    await until(() => server.tokens.length === 2);
    await clock.idle();
    await feed.cards.get("card-1");
    expect(server.bearers.at(-1)).toBe("token-2");
    expect(server.exchanges).toBe(2);
  },
);

test("an expired token is never sent: calls wait for the next one", async () => {
  const { clock, server, feed } = await startFixture();
  await feed.cards.get("card-1");
  await clock.advance(300_000);
  await Promise.all(times(10, () => feed.cards.get("card-1")));
  expect(server.exchanges).toBe(2);
  expect(server.bearers.slice(1)).toEqual(Array(10).fill("token-2"));
});

test("a failed renewal of a valid token is retried after 5 s", async () => {
  const { clock, server, feed } = await startFixture({ retries: 0 });
  await feed.cards.get("card-1");
  await clock.advance(270_000);
  server.always(TOKEN_PATH, status(500));

  await feed.cards.get("card-1");
  await until(() => server.exchanges === 2);
  await clock.idle();
  await clock.advance(4999);
  await feed.cards.get("card-1");
  await settle();
  expect(server.exchanges).toBe(2);

  await clock.advance(1);
  await feed.cards.get("card-1");
  await until(() => server.exchanges === 3);
  await clock.idle();

  server.always(TOKEN_PATH, undefined);
  await clock.advance(5000);
  await feed.cards.get("card-1");
  await until(() => server.tokens.length === 2);
  await clock.idle();
  await feed.cards.get("card-1");
  expect(server.bearers.at(-1)).toBe("token-2");
  expect(server.exchanges).toBe(4);
});

test("a failed renewal is logged without the secret", async () => {
  const entries: unknown[] = [];
  const { clock, server, feed } = await startFixture({
    retries: 0,
    log: (entry) => entries.push(entry),
  });
  await feed.cards.get("card-1");
  await clock.advance(270_000);
  server.always(TOKEN_PATH, status(500));
  await feed.cards.get("card-1");
  await until(() => server.exchanges === 2);
  await clock.idle();
  expect(entries).toContainEqual(expect.objectContaining({ event: "soft-failure" }));
  expect(JSON.stringify(entries)).not.toMatch(/secret-1|token-1/);
});

test("a failed renewal of an expired token fails the call", async () => {
  const { clock, server, feed } = await startFixture({ retries: 0 });
  await feed.cards.get("card-1");
  await clock.advance(270_000);
  server.always(TOKEN_PATH, status(500));
  await feed.cards.get("card-1");
  await until(() => server.exchanges === 2);
  await clock.idle();

  await clock.advance(30_000);
  const before = server.requests(card);
  const call = feed.cards.get("card-1");
  await expect(call).rejects.toMatchObject({ code: "http", status: 500, method: "POST" });
  expect(server.requests(card)).toBe(before);
});

test("an unavailable token endpoint fails calls until it recovers", async () => {
  const { clock, server, feed } = await startFixture();
  server.always(TOKEN_PATH, reset);
  const down = await clock.skipDelays(
    Promise.allSettled(times(20, () => feed.cards.get("card-1"))),
  );
  expect(new Set(down.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  expect(down).toContainEqual(
    expect.objectContaining({ reason: expect.objectContaining({ code: "network", attempts: 3 }) }),
  );
  // One shared exchange with two retries.
  expect(server.exchanges).toBe(3);
  expect(server.requests()).toBe(0);

  server.always(TOKEN_PATH, undefined);
  await Promise.all(times(20, () => feed.cards.get("card-1")));
  expect(server.exchanges).toBe(4);
});

test.each([
  ["503", status(503)],
  ["429 with Retry-After", status(429, { "retry-after": "2" })],
  ["a reset", reset],
])("the exchange is tried again after %s", async (_, fault) => {
  const { clock, server, feed } = await startFixture();
  server.plan(TOKEN_PATH, fault, fault);
  await clock.skipDelays(feed.cards.get("card-1"));
  expect(server.exchanges).toBe(3);
  expect(server.requests()).toBe(1);
});

test("a call that times out waiting for a token does not stop the exchange", async () => {
  const { clock, server, feed } = await startFixture();
  const dam = new ResponseGate();
  server.plan(TOKEN_PATH, dam.before(server.usually));
  const short = feed.cards.get("card-1", { timeoutMs: 1000 });
  const rejected = expect(short).rejects.toMatchObject({ code: "timeout", of: "call" });
  const long = feed.cards.get("card-1");
  await until(() => dam.held === 1);
  await clock.advance(1000);
  await rejected;
  expect(server.closed).toBe(0);
  dam.release();
  await long;
  expect(server.exchanges).toBe(1);
});
