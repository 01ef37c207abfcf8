import { expect, test } from "vitest";
import type { StoredToken, TokenStore } from "../../src/client/index.ts";
import { settle, until } from "../support/fake-clock.ts";
import { ResponseGate, status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture, times } from "./fixture.ts";

const card = "/cards/card-1";

/** An in-memory store with a lock. */
class MemoryStore implements TokenStore {
  stored: StoredToken | undefined;
  reads = 0;
  #last: Promise<unknown> = Promise.resolve();

  async read(): Promise<StoredToken | undefined> {
    this.reads += 1;
    return this.stored;
  }

  async write(token: StoredToken): Promise<void> {
    this.stored = token;
  }

  exclusively<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#last.then(task);
    this.#last = run.catch(() => {});
    return run;
  }
}

test("two clients that start at the same moment make one exchange", async () => {
  const tokenStore = new MemoryStore();
  const { server, feed, another } = await startFixture({ tokenStore });
  const other = another();
  await Promise.all(times(20, (n) => (n % 2 ? feed : other).cards.get("card-1")));
  expect(server.exchanges).toBe(1);
  expect(new Set(server.bearers)).toEqual(new Set(["token-1"]));
});

test("a stored token is used without an exchange", async () => {
  const tokenStore = new MemoryStore();
  const { server, feed, another } = await startFixture({ tokenStore });
  await feed.cards.get("card-1");
  await another().cards.get("card-1");
  expect(server.exchanges).toBe(1);
});

test("the store is read once, not by every call", async () => {
  const tokenStore = new MemoryStore();
  const { feed } = await startFixture({ tokenStore });
  for (let n = 0; n < 5; n++) await feed.cards.get("card-1");
  expect(tokenStore.reads).toBe(1);
});

test("the token, its server-clock expiry and its lifetime are stored", async () => {
  const tokenStore = new MemoryStore();
  const { clock, feed } = await startFixture({ tokenStore, serverAheadMs: 120_000 });
  const start = clock.now();
  await feed.cards.get("card-1");
  const { accessToken, expiresAt = 0, lifetimeSeconds } = tokenStore.stored ?? {};
  expect({ accessToken, lifetimeSeconds }).toEqual({
    accessToken: "token-1",
    lifetimeSeconds: 300,
  });
  expect(Math.abs(expiresAt - (start + 120_000 + 300_000))).toBeLessThanOrEqual(1000);
});

test("a stored token that is about to expire is not used", async () => {
  const tokenStore = new MemoryStore();
  const { clock, server, feed, another } = await startFixture({ tokenStore });
  await feed.cards.get("card-1");
  await clock.advance(270_000);
  await another().cards.get("card-1");
  expect(server.bearers).toEqual(["token-1", "token-2"]);
});

test("a rejected token is replaced by another process's stored one", async () => {
  const tokenStore = new MemoryStore();
  const { server, feed, another } = await startFixture({ tokenStore });
  const other = another();
  await Promise.all([feed.cards.get("card-1"), other.cards.get("card-1")]);
  server.revoke();
  await feed.cards.get("card-1");
  expect(server.exchanges).toBe(2);
  await Promise.all(times(10, () => other.cards.get("card-1")));
  expect(server.exchanges).toBe(2);
});

test("two clients whose token is revoked make one exchange", async () => {
  const tokenStore = new MemoryStore();
  const { server, feed, another } = await startFixture({ tokenStore });
  const other = another();
  await Promise.all([feed.cards.get("card-1"), other.cards.get("card-1")]);
  server.revoke();
  await Promise.all(times(20, (n) => (n % 2 ? feed : other).cards.get("card-1")));
  expect(server.exchanges).toBe(2);
});

test("a stored token that is rejected is replaced", async () => {
  const tokenStore = new MemoryStore();
  const { clock, server, feed } = await startFixture({ tokenStore });
  const expiresAt = clock.now() + 300_000;
  tokenStore.stored = { accessToken: "not-mine", expiresAt, lifetimeSeconds: 300 };
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "card-1" });
  expect(server.bearers).toEqual(["not-mine", "token-1"]);
  expect(tokenStore.stored.accessToken).toBe("token-1");
});

test("a background renewal of one client serves the other", async () => {
  const tokenStore = new MemoryStore();
  const { clock, server, feed, another } = await startFixture({ tokenStore });
  const other = another();
  await Promise.all([feed.cards.get("card-1"), other.cards.get("card-1")]);
  await clock.advance(275_000);
  await Promise.all([feed.cards.get("card-1"), other.cards.get("card-1")]);
  await until(() => server.tokens.length === 2);
  await clock.idle();
  await Promise.all([feed.cards.get("card-1"), other.cards.get("card-1")]);
  expect(server.exchanges).toBe(2);
  expect(server.bearers.slice(-2)).toEqual(["token-2", "token-2"]);
});

const broken = async (): Promise<never> => {
  throw new Error("the store is down");
};

test.each<[string, Partial<TokenStore>]>([
  ["read", { read: broken }],
  ["write", { write: broken }],
  ["lock", { exclusively: broken }],
  ["do anything", { read: broken, write: broken, exclusively: broken }],
])("a store that cannot %s does not fail the calls", async (_, faults) => {
  const entries: { event: string }[] = [];
  const tokenStore = Object.assign(new MemoryStore(), faults);
  const { server, feed } = await startFixture({ tokenStore, log: (entry) => entries.push(entry) });
  await Promise.all(times(10, () => feed.cards.get("card-1")));
  expect(server.exchanges).toBe(1);
  expect(entries.map(({ event }) => event)).toContain("soft-failure");
});

test("a store that throws is ignored", async () => {
  const throwing = () => {
    throw new Error("the store is down");
  };
  const tokenStore = { read: throwing, write: throwing, exclusively: throwing };
  const { server, feed } = await startFixture({ tokenStore });
  await feed.cards.get("card-1");
  expect(server.exchanges).toBe(1);
});

test("a store with an invalid value is ignored", async () => {
  const tokenStore = new MemoryStore();
  tokenStore.stored = JSON.parse('{"token":1}');
  const { server, feed } = await startFixture({ tokenStore });
  await feed.cards.get("card-1");
  expect(server.bearers).toEqual(["token-1"]);
});

test("a lock failure after the exchange has no effect", async () => {
  const tokenStore = Object.assign(new MemoryStore(), {
    exclusively: async <T>(task: () => Promise<T>): Promise<T> => {
      await task();
      throw new Error("the lock was lost");
    },
  });
  const { server, feed } = await startFixture({ tokenStore });
  await feed.cards.get("card-1");
  expect(server.exchanges).toBe(1);
});

test("a failed exchange under the lock fails the call without a retry", async () => {
  const tokenStore = new MemoryStore();
  const { server, feed } = await startFixture({ tokenStore });
  server.plan(TOKEN_PATH, status(401));
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({ stage: "token-exchange" });
  expect(server.exchanges).toBe(1);
  await feed.cards.get("card-1");
  expect(server.requests(card)).toBe(1);
});

test("a client waits while another exchanges under the lock", async () => {
  const tokenStore = new MemoryStore();
  const { server, feed, another } = await startFixture({ tokenStore });
  const dam = new ResponseGate();
  server.plan(TOKEN_PATH, dam.before(server.usually));
  const first = feed.cards.get("card-1");
  const second = another().cards.get("card-1");
  await until(() => dam.held === 1);
  await settle();
  expect(server.exchanges).toBe(1);
  dam.release();
  await Promise.all([first, second]);
  expect(server.exchanges).toBe(1);
});
