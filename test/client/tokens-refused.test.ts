import { expect, onTestFinished, test, vi } from "vitest";
import { settle, until } from "../support/fake-clock.ts";
import { json, type Responder, ResponseGate, status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture, times } from "./fixture.ts";
import { memoryFixture, response } from "./memory-service.ts";

const card = "/cards/card-1";

test("a revoked token causes one exchange and one re-send", async () => {
  const { server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.revoke();
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "card-1" });
  expect(server.exchanges).toBe(2);
  expect(server.bearers).toEqual(["token-1", "token-1", "token-2"]);
});

test("the re-send does not count as a retry", async () => {
  const { server, feed } = await startFixture({ retries: 0 });
  await feed.cards.get("card-1");
  server.revoke();
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "card-1" });
});

test("a PATCH is sent again once after a 401, with its body", async () => {
  const { server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.revoke();
  server.always("/bank-links/link-1", async (response, seen) => {
    await server.usually(response, seen);
  });
  const result = await feed.bankLinks.completeResult("link-1", { body: { a: 1 } });
  expect(result.status).toBe(200);
  const patches = server.seen.filter(({ method }) => method === "PATCH");
  expect(patches.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}']);
  expect(server.exchanges).toBe(2);
});

test("50 calls whose 401s arrive one by one make 1 exchange", async () => {
  const { server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.revoke();
  // The test releases each response to the old token.
  const dam = new ResponseGate();
  const refusals = dam.before(server.usually);
  const wait: Responder = (response, seen) =>
    (seen.headers.authorization === "Bearer token-1" ? refusals : server.usually)(response, seen);
  for (let n = 0; n < 50; n++) server.always(`/cards/late-${n}`, wait);
  const exchange = new ResponseGate();
  server.plan(TOKEN_PATH, exchange.before(server.usually));

  const early = times(40, (n) => feed.cards.get(`late-${n}`));
  await until(() => dam.held === 40);
  // Some 401s arrive one by one and trigger the renewal.
  for (let n = 0; n < 10; n++) {
    dam.release(1);
    await settle(3);
  }
  await until(() => exchange.held === 1);
  // Some arrive during the renewal, when other calls start with the old token.
  dam.release(10);
  const during = times(5, (n) => feed.cards.get(`late-${40 + n}`));
  await until(() => dam.held === 25);
  exchange.release();
  await until(() => server.tokens.length === 2);
  await Promise.all(early.slice(0, 20));
  // Some calls start after the renewal; the last 401s arrive much later.
  const after = times(5, (n) => feed.cards.get(`late-${45 + n}`));
  await Promise.all(after);
  while (dam.held > 0) {
    dam.release(1);
    await settle(3);
  }
  const cards = await Promise.all([...early, ...during, ...after]);
  expect(cards).toHaveLength(50);
  expect(server.exchanges).toBe(2);
  expect(server.bearers.filter((token) => token === "token-1")).toHaveLength(1 + 45);
  expect(server.bearers.filter((token) => token === "token-2")).toHaveLength(50);
});

test("a 401 during a background renewal starts no second one", async () => {
  const { clock, server, feed } = await startFixture();
  await feed.cards.get("card-1");
  await clock.advance(280_000);
  server.revoke();
  const exchange = new ResponseGate();
  server.plan(TOKEN_PATH, exchange.before(server.usually));
  const calls = times(10, () => feed.cards.get("card-1"));
  await until(() => exchange.held === 1 && server.requests(card) === 11 && server.open === 1);
  exchange.release();
  await Promise.all(calls);
  expect(server.exchanges).toBe(2);
});

test("a burst of 401s causes 1 exchange, and none shortly after", async () => {
  const { clock, server, feed } = await startFixture();
  server.always(card, status(401));
  const burst = await Promise.allSettled(times(50, () => feed.cards.get("card-1")));
  expect(burst.every((one) => one.status === "rejected")).toBe(true);
  expect(server.exchanges).toBe(1);
  expect(server.requests(card)).toBe(50);

  for (let n = 0; n < 9; n++) {
    await clock.advance(1000);
    await expect(feed.cards.get("card-1")).rejects.toMatchObject({ stage: "api" });
  }
  expect(server.exchanges).toBe(1);

  // Later calls share one more exchange.
  await clock.advance(1000);
  await Promise.allSettled(times(50, () => feed.cards.get("card-1")));
  expect(server.exchanges).toBe(2);
});

test("a rejected new token is an authentication error of stage api", async () => {
  const { server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.always(card, json(401, { why: "token-2" }));
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({
    code: "authentication",
    stage: "api",
    status: 401,
    method: "GET",
    path: card,
    attempts: 2,
  });
  expect(server.exchanges).toBe(2);
  expect(server.requests(card)).toBe(3);
});

test("a call is re-sent once, even if its token works for other calls", async () => {
  const { server, feed } = await startFixture();
  await feed.cards.get("card-1");
  const dam = new ResponseGate();
  server.plan("/cards/bad", status(401));
  server.always("/cards/bad", dam.before(status(401)));
  const bad = feed.cards.get("bad");
  const rejected = expect(bad).rejects.toMatchObject({ stage: "api", attempts: 2 });
  await until(() => dam.held === 1);
  // The token fetched after the first 401 is valid here.
  await feed.cards.get("card-1");
  dam.release();
  await rejected;
  expect(server.exchanges).toBe(2);
});

test("a call is re-sent once, even with a retry in between", async () => {
  const { clock, server, feed } = await startFixture();
  await feed.cards.get("card-1");
  server.plan(card, status(401), status(503), status(401));
  const call = clock.skipDelays(feed.cards.get("card-1"));
  await expect(call).rejects.toMatchObject({ stage: "api", attempts: 3 });
  expect(server.exchanges).toBe(2);
});

test("a wrong secret is a token-exchange error without a retry", async () => {
  const { server, feed } = await startFixture({ clientSecret: "secret-wrong" });
  server.always(TOKEN_PATH, status(401));
  const calls = await Promise.allSettled(times(10, () => feed.cards.get("card-1")));
  expect(calls[0]).toMatchObject({
    reason: { code: "authentication", stage: "token-exchange", status: 401, method: "POST" },
  });
  expect(JSON.stringify(calls)).not.toContain("secret-wrong");
  expect(server.exchanges).toBe(1);
  expect(server.requests()).toBe(0);
});

test("a failed exchange after a 401 fails only that call", async () => {
  const { server, feed } = await startFixture({ retries: 0 });
  await feed.cards.get("card-1");
  server.revoke();
  server.plan(TOKEN_PATH, status(500));
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({ status: 500, method: "POST" });
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "card-1" });
  expect(server.exchanges).toBe(3);
});

test("an abort near a 401 causes no unhandled rejection", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  for (let turns = 0; turns < 30; turns++) {
    const { feed, service } = memoryFixture({ retries: 0 });
    await feed.cards.get("card-1");
    const controller = new AbortController();
    service.exchange = () => Promise.reject(new Error("down"));
    service.resource = () => {
      void abortAfter(turns, controller);
      return response(401);
    };
    await expect(feed.cards.get("card-1", { signal: controller.signal })).rejects.toMatchObject({
      code: expect.stringMatching(/^(aborted|network)$/),
    });
    await settle(2);
  }
  expect(unhandled).not.toHaveBeenCalled();
});

async function abortAfter(turns: number, controller: AbortController): Promise<void> {
  for (let n = 0; n < turns; n++) await undefined;
  controller.abort();
}

test.each([503, 429, 500, 502, 504, 408])(
  "a %i does not show that a new token is valid",
  async (code) => {
    const { server, feed } = await startFixture({ retries: 0 });
    server.plan(card, status(code));
    await expect(feed.cards.get("card-1")).rejects.toMatchObject({ status: code });
    server.always(card, status(401));
    await expect(feed.cards.get("card-1")).rejects.toMatchObject({ stage: "api", attempts: 1 });
    expect(server.exchanges).toBe(1);
  },
);

test.each([200, 403, 404])("a %i shows that a new token is valid", async (code) => {
  const { server, feed } = await startFixture({ retries: 0 });
  server.plan(card, json(code, {}));
  await expect(feed.cards.getResult("card-1")).resolves.toMatchObject({ status: code });
  server.revoke();
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "card-1" });
  expect(server.exchanges).toBe(2);
});
