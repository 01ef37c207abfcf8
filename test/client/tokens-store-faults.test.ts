import { expect, test } from "vitest";
import type { LogEntry, StoredToken, TokenStore } from "../../src/client/index.ts";
import { startFixture } from "./fixture.ts";
import { memoryFixture, never, response, watched } from "./memory-service.ts";

/** An empty store with a lock that is always free. */
const free: Required<TokenStore> = {
  read: async () => undefined,
  write: async () => {},
  exclusively: (task) => task(),
};

const timeoutMs = 30_000;
const SIXTH = timeoutMs / 6;

test.each<[string, Partial<TokenStore>, number]>([
  ["lock hangs", { exclusively: never }, SIXTH],
  ["read hangs", { read: never }, SIXTH],
  ["write hangs", { write: never }, 0],
  ["lock, read and write hang", { exclusively: never, read: never, write: never }, 2 * SIXTH],
])("the first call succeeds if a store's %s", async (_, faults, withinMs) => {
  const entries: LogEntry[] = [];
  const { clock, feed, service } = memoryFixture({
    tokenStore: { ...free, ...faults },
    timeoutMs,
    log: (entry) => entries.push(entry),
  });
  const call = watched(feed.cards.get("card-1"));
  await clock.advance(withinMs);
  expect(call).toEqual({ value: { id: "card-1" }, isSettled: true });
  expect(service.exchanges).toBe(1);
  // A store operation that is not awaited is logged after its timeout.
  await clock.advance(timeoutMs);
  expect(entries.map(({ event }) => event)).toContain("soft-failure");
  expect(clock.pending).toEqual([]);
});

test("a slow exchange under the lock is not a lock failure", async () => {
  const entries: LogEntry[] = [];
  const { clock, feed, service } = memoryFixture({
    tokenStore: free,
    timeoutMs,
    log: (entry) => entries.push(entry),
  });
  const quick = service.exchange;
  service.exchange = async (request) => {
    const isFirst = service.exchanges === 1;
    await new Promise<void>((resolve) => clock.after(8000, resolve));
    return isFirst ? response(503) : quick(request);
  };
  const call = watched(feed.cards.get("card-1"));
  await clock.advance(16_000);
  expect(call).toEqual({ value: { id: "card-1" }, isSettled: true });
  expect(service.exchanges).toBe(2);
  expect(entries.filter(({ event }) => event === "soft-failure")).toEqual([]);
});

const good = { accessToken: "stored", lifetimeSeconds: 300 };

/** A stored value with a getter that throws. */
function unreadable(name: string): object {
  const get = () => {
    throw new Error("closed");
  };
  return Object.defineProperty({ lifetimeSeconds: 300 }, name, { get });
}

test.each<[string, (expiresAt: number) => unknown]>([
  ["a number as a token", (expiresAt) => ({ ...good, expiresAt, accessToken: 5 })],
  ["a token with a line break", (expiresAt) => ({ ...good, expiresAt, accessToken: "a\nb" })],
  ["an empty token", (expiresAt) => ({ ...good, expiresAt, accessToken: "" })],
  ["no expiresAt", () => good],
  ["NaN as expiresAt", () => ({ ...good, expiresAt: Number.NaN })],
  ["null", () => null],
  ["a string", () => "stored"],
  [
    "a token that can't be read",
    (expiresAt) => Object.assign(unreadable("accessToken"), { expiresAt }),
  ],
  ["an expiresAt that can't be read", () => unreadable("expiresAt")],
])("a store that returns %s counts as empty", async (_, stored) => {
  let written: StoredToken | undefined;
  const tokenStore: TokenStore = {
    ...free,
    read: async () => stored(Date.UTC(2026, 0, 1) + 300_000) as StoredToken,
    write: async (token) => {
      written = token;
    },
  };
  const { server, feed } = await startFixture({ tokenStore, retries: 0 });
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "card-1" });
  expect(server.bearers).toEqual(["token-1"]);
  expect(written?.accessToken).toBe("token-1");
});
