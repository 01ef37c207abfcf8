import { describe, expect, test, vi } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { createReceiver, type DuplicateStore, memoryDuplicates } from "../../src/webhooks/index.ts";
import { sqliteDuplicates } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";

type Make = (times: { leaseMs: number; keepMs: number; now: () => number }) => DuplicateStore;

const stores: Record<string, Make> = {
  memory: memoryDuplicates,
  "node:sqlite": (times) => sqliteDuplicates({ path: ":memory:", ...times }),
};

async function claimed(store: DuplicateStore, key: string, owner?: string) {
  const claim = await store.claim(key, owner);
  if (claim.state !== "claimed")
    throw new Error(`expected to get ${key}, but it is ${claim.state}`);
  return claim;
}

describe.each(Object.entries(stores))("the store in %s", (_name, make) => {
  function storeAt(startedAt = 1000) {
    const clock = { now: startedAt };
    return { clock, store: make({ leaseMs: 100, keepMs: 1000, now: () => clock.now }) };
  }

  test("gives a claim to one caller, and to others after its release", async () => {
    const { store } = storeAt();
    const claim = await claimed(store, "a");
    expect(await store.claim("a")).toEqual({ state: "busy" });
    await claimed(store, "b");
    await claim.release();
    await claimed(store, "a");
  });

  test("remembers handled deliveries for keepMs", async () => {
    const { store, clock } = storeAt();
    await (await claimed(store, "a")).done();
    expect(await store.claim("a")).toEqual({ state: "done" });
    clock.now += 999;
    expect(await store.claim("a")).toEqual({ state: "done" });
    clock.now += 1;
    await claimed(store, "a");
  });

  test("expires a claim with its lease", async () => {
    const { store, clock } = storeAt();
    await claimed(store, "a");
    clock.now += 99;
    expect(await store.claim("a")).toEqual({ state: "busy" });
    clock.now += 1;
    await claimed(store, "a");
  });

  test("ignores a late release of an expired claim", async () => {
    const { store, clock } = storeAt();
    const late = await claimed(store, "a");
    clock.now += 100;
    await claimed(store, "a");
    await late.release();
    expect(await store.claim("a")).toEqual({ state: "busy" });
  });

  test("gives a claim again only to its owner", async () => {
    const { store } = storeAt();
    const late = await claimed(store, "a", "mine");
    expect(await store.claim("a", "another")).toEqual({ state: "busy" });
    expect(await store.claim("a")).toEqual({ state: "busy" });
    const mine = await claimed(store, "a", "mine");
    await late.release();
    expect(await store.claim("a", "another")).toEqual({ state: "busy" });
    await mine.done();
    expect(await store.claim("a", "mine")).toEqual({ state: "done" });
  });

  test("records a late completion, which no later release undoes", async () => {
    const { store, clock } = storeAt();
    const late = await claimed(store, "a");
    clock.now += 100;
    const second = await claimed(store, "a");
    await late.done();
    expect(await store.claim("a")).toEqual({ state: "done" });
    await second.release();
    expect(await store.claim("a")).toEqual({ state: "done" });
  });
});

test("a store in memory refuses invalid times", () => {
  for (const options of [{ leaseMs: Number.NaN }, { keepMs: 0 }, { limit: 1.5 }]) {
    const [name] = Object.keys(options);
    expect(() => memoryDuplicates(options)).toThrow(
      `memoryDuplicates: ${name} must be an integer of at least 1; `,
    );
  }
});

test("the store in memory remembers the latest up to its limit", async () => {
  const store = memoryDuplicates({ limit: 2 });
  for (const key of ["a", "b", "c"]) await (await claimed(store, key)).done();
  expect(await store.claim("b")).toEqual({ state: "done" });
  expect(await store.claim("c")).toEqual({ state: "done" });
  await claimed(store, "a");
});

describe("a receiver with a store", () => {
  const updated = make("transaction.updated");

  test("handles duplicates once, also with reordered members", async () => {
    const handler = vi.fn();
    const receiver = createReceiver({
      on: { "transaction.updated": handler },
      duplicates: memoryDuplicates(),
    });
    const reversed = Object.fromEntries(Object.entries(updated).reverse());
    for (const body of [updated, updated, reversed]) {
      expect((await receiver(deliver("transaction.updated", body))).status).toBe(204);
    }
    expect(handler).toHaveBeenCalledOnce();
  });

  test("refuses a duplicate with 503 while the first is handled", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: isRunning, resolve: run } = Promise.withResolvers<void>();
    const receiver = createReceiver({
      on: {
        "transaction.updated": () => {
          run();
          return promise;
        },
      },
      duplicates: memoryDuplicates(),
    });
    const first = receiver(deliver("transaction.updated", updated));
    await isRunning;
    const repeat = await receiver(deliver("transaction.updated", updated));
    expect(repeat.status).toBe(503);
    expect(repeat.headers.get("retry-after")).toBe("5");
    resolve();
    expect((await first).status).toBe(204);
  });

  test("handles a failed delivery again", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    const receiver = createReceiver({
      on: { "transaction.updated": handler },
      duplicates: memoryDuplicates(),
    });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(500);
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(204);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test("handles both losses of a bank account that is lost twice", async () => {
    const handler = vi.fn();
    const receiver = createReceiver({
      on: { "bankaccount.state_changed": handler },
      duplicates: memoryDuplicates(),
    });
    const lost = make("bankaccount.state_changed");
    for (let loss = 0; loss < 2; loss += 1)
      await receiver(deliver("bankaccount.state_changed", lost));
    expect(handler).toHaveBeenCalledTimes(2);
  });

  const no = () => {
    throw new Error("disk full");
  };
  const claimOf = (parts: object) => () => ({
    state: "claimed",
    done() {},
    release() {},
    ...parts,
  });
  const broken: [string, () => unknown, boolean, number][] = [
    ["can't claim", no, false, 500],
    ["can't give back", claimOf({ release: no }), true, 500],
    ["can't remember", claimOf({ done: no }), false, 204],
  ];
  test.each(broken)("%s, and reports it to onDelivery", async (_what, claim, fails, status) => {
    const onDelivery = vi.fn();
    const failure = new Error("handler");
    const receiver = createReceiver({
      on: { "transaction.updated": () => (fails ? Promise.reject(failure) : undefined) },
      duplicates: { claim } as DuplicateStore,
      onDelivery,
    });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(status);
    const error = fails ? failure : new Error("disk full");
    expect(onDelivery).toHaveBeenCalledWith(expect.objectContaining({ error }));
  });
});
