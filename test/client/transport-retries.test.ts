import { expect, test } from "vitest";
import { until } from "../support/fake-clock.ts";
import { freePort } from "../support/local-server.ts";
import { noResponse, type Responder, reset, resetMidBody, status } from "./feed-server.ts";
import { startFixture } from "./fixture.ts";

const card = "/cards/card-1";
const link = "/bank-links/link-1";
const passing = [408, 429, 500, 502, 503, 504];
const lasting = [301, 302, 307, 308, 400, 403, 404, 409, 410, 418, 422, 501, 505];

test.each(passing)("a GET is retried after %i", async (code) => {
  const { clock, server, feed } = await startFixture();
  server.plan(card, status(code), status(code));
  await expect(clock.skipDelays(feed.cards.get("card-1"))).resolves.toMatchObject({ id: "card-1" });
  expect(server.requests(card)).toBe(3);
});

test.each(lasting)("a GET is not retried after %i", async (code) => {
  const { clock, server, feed } = await startFixture();
  server.always(card, status(code, { location: "/cards/card-2" }));
  const call = clock.skipDelays(feed.cards.get("card-1"));
  await expect(call).rejects.toMatchObject({ code: "http", status: code, attempts: 1 });
  expect(server.requests()).toBe(1);
});

test.each([
  ["reset before the headers", reset],
  ["reset in the middle of the body", resetMidBody],
])("a GET is retried after a connection was %s", async (_, fault) => {
  const { clock, server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.plan(card, fault, fault);
  await expect(clock.skipDelays(feed.cards.get("card-1"))).resolves.toMatchObject({ id: "card-1" });
  expect(server.requests(card)).toBe(4);
});

test("repeated resets are a network error with the system's code", async () => {
  const { clock, server, feed } = await startFixture();
  server.always(card, reset);
  await expect(clock.skipDelays(feed.cards.get("card-1"))).rejects.toMatchObject({
    code: "network",
    attempts: 3,
    status: undefined,
    systemCode: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/),
  });
  expect(server.requests(card)).toBe(3);
});

test("a refused connection is retried, then reported as ECONNREFUSED", async () => {
  const port = await freePort();
  const { clock, feed } = await startFixture({ baseUrl: `http://127.0.0.1:${port}` });
  await expect(clock.skipDelays(feed.cards.get("card-1"))).rejects.toMatchObject({
    code: "network",
    systemCode: "ECONNREFUSED",
    attempts: 3,
  });
  expect(clock.waits).toHaveLength(2);
});

const faults = passing.map((code): [string, Responder] => [String(code), status(code)]);

test.each<[string, Responder]>([["reset", reset], ...faults])(
  "a PATCH is not retried by default: %s",
  async (_, fault) => {
    const { clock, server, feed } = await startFixture({ retries: 5 });
    server.plan(link, fault);
    await clock.skipDelays(feed.bankLinks.complete("link-1", { body: {} }).catch(() => {}));
    expect(server.requests(link)).toBe(1);
  },
);

test("a PATCH is retried as often as its call allows", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(link, status(503), reset);
  await clock.skipDelays(feed.bankLinks.complete("link-1", { body: { a: 1 }, retries: 2 }));
  const bodies = server.seen.filter(({ path }) => path === link).map(({ body }) => body);
  expect(bodies).toEqual(Array(3).fill('{"a":1}'));
});

test("a PATCH that times out is not retried", async () => {
  const { clock, server, feed } = await startFixture();
  server.plan(link, noResponse);
  const call = feed.bankLinks.complete("link-1", { body: {} });
  const rejected = expect(call).rejects.toMatchObject({ code: "timeout", of: "attempt" });
  await until(() => server.requests(link) === 1);
  await clock.advance(10_000);
  await rejected;
  expect(server.requests(link)).toBe(1);
});

test.each([0, 1, 4])("retries: %i is the number of additional attempts", async (retries) => {
  const { clock, server, feed } = await startFixture({ retries: 7 });
  server.always(card, status(503));
  const call = clock.skipDelays(feed.cards.get("card-1", { retries }));
  await expect(call).rejects.toMatchObject({ status: 503, attempts: retries + 1 });
  expect(server.requests(card)).toBe(retries + 1);
});

test.each([
  [0, [0, 0, 0, 0, 0, 0, 0]],
  [0.5, [125, 250, 500, 1000, 2000, 4000, 4000]],
  // With a random number close to 1, the delays are the upper bounds, which double up to 8 s.
  [1, [250, 500, 1000, 2000, 4000, 8000, 8000]],
])("delays are random, below a bound that doubles: random %f", async (random, expected) => {
  const { clock, server, feed } = await startFixture({ random: () => random, timeoutMs: 60_000 });
  await feed.cards.get("card-1");
  server.always(card, status(500));
  clock.durations.length = 0;
  await clock.skipDelays(feed.cards.get("card-1", { retries: 7 }).catch(() => {}));
  expect(clock.waits).toEqual(expected);
});

test("each delay is random", async () => {
  const draws = [0.1, 0.9];
  const { clock, server, feed } = await startFixture({ random: () => draws.shift() ?? 0 });
  server.plan(card, status(500), status(500));
  await clock.skipDelays(feed.cards.get("card-1"));
  expect(clock.waits).toEqual([25, 450]);
});

test("a delay beyond the deadline is not started", async () => {
  const { clock, server, feed } = await startFixture({ random: () => 1 });
  await feed.cards.get("card-1");
  server.always(card, status(503));
  const call = feed.cards.get("card-1", { timeoutMs: 749, retries: 9 });
  const rejected = expect(clock.skipDelays(call, 749)).rejects.toMatchObject({
    code: "http",
    status: 503,
    attempts: 2,
  });
  await rejected;
  // 250 of 749 ms have elapsed; a delay of 500 ms would exceed the deadline.
  expect(clock.elapsed).toBe(250);
});
