import { expect, test } from "vitest";
import { DEFAULT_NETWORKS as networks } from "../../src/contract/index.ts";
import { SeededRandom } from "../../src/sandbox/seeded-random.ts";
import { openDatabase } from "../../src/sandbox/store/database.ts";
import { SqliteStore } from "../../src/sandbox/store/store.ts";
import { drawDigits } from "../../src/world/enrollment/cards.ts";
import { MemoryStore } from "../../src/world/memory-store.ts";
import { type Kind, kinds } from "../../src/world/resources.ts";
import { call } from "../../src/world/script.ts";
import { scripts } from "../../src/world/scripts.ts";
import { secondSeed, smallSeed } from "../../src/world/small-seed.ts";
import type { Store } from "../../src/world/store.ts";
import { UnitOfWork } from "../../src/world/unit-of-work.ts";
import { verbNames } from "../../src/world/verbs/names.ts";
import { World } from "../../src/world/world.ts";

function worldIn(store: Store, seed = 1): World {
  const random = new SeededRandom(seed);
  const work = new UnitOfWork(store, { networks, validate: true }, { random });
  return new World(work, { startMs: Date.UTC(2026, 0, 5, 9) });
}

/** Plays scripts, one after another, and returns all resources and events as text. */
function played(store: Store, ids: readonly (keyof typeof scripts)[]): string {
  const world = worldIn(store);
  const events = ids.map((id) => world.play(scripts[id], "7h"));
  return JSON.stringify([events, kinds.flatMap((kind) => rows(store, kind)), store.accounts()]);
}

/** The resources of a kind, their fields in one order. Body and state are compared as JSON text. */
function rows(store: Store, kind: Kind) {
  return store.latest(kind).map((one) => {
    const { id, accountId, subaccountId, parent, day, createdMs, open, listed } = one;
    const place = [kind, id, accountId, subaccountId, parent, day, createdMs, open, listed];
    return [...place, JSON.stringify(one.body), JSON.stringify(one.internal)];
  });
}

const ids = Object.keys(scripts) as (keyof typeof scripts)[];

test.each(ids)("%s is the same in a Map and in SQLite", (id) => {
  const inMemory = played(new MemoryStore(), [id]);
  expect(JSON.parse(inMemory)[0].flat().length).toBeGreaterThan(0);
  expect(inMemory).toBe(played(new SqliteStore(openDatabase()), [id]));
});

test("all scripts in one world are the same in a Map and in SQLite", () => {
  const inMemory = played(new MemoryStore(), ids);
  expect(inMemory).toBe(played(new SqliteStore(openDatabase()), ids));
});

test("no card or account draws the digits that a script or a seed gives", () => {
  const text = JSON.stringify([scripts, smallSeed, secondSeed]);
  const given = [...text.matchAll(/"(?:cardNumber|mask)":"\d*(\d{4})"/g)].map(([, last4]) => last4);
  expect(given.length).toBeGreaterThan(9);
  for (const last4 of given) {
    const random = new SeededRandom(1);
    random.below = () => Number(last4);
    const work = new UnitOfWork(new MemoryStore(), { networks, validate: true }, { random });
    expect(drawDigits(work, new Set())).not.toBe(last4);
  }
});

test.each([5904, 6866])("the small world has the cards of seed %d, which once met", (seed) => {
  expect(() => worldIn(new MemoryStore(), seed).play(smallSeed, "1m")).not.toThrow();
});

test("the scripts call every verb", () => {
  const calls = Object.values(scripts).flatMap(({ steps }) => steps.flatMap((one) => one.calls));
  const called = new Set(calls.flatMap((one) => ("verb" in one ? [one.verb] : [])));
  const missing = verbNames.filter((name) => !called.has(name));
  expect(missing).toEqual([]);
});

const refused = {
  "applies to nothing": ["there is no transaction", call("clear")],
  "has created a subaccount": [
    "network takes",
    call("link-start", { accounts: [{ network: "UNKNOWN" }] }),
  ],
} as const;

test.each(Object.entries(refused))(
  "a refused verb that %s has changed nothing",
  (_, [why, verb]) => {
    const changed = (store: Store) => {
      const world = worldIn(store);
      expect(() => world.play({ steps: [{ calls: [verb] }] }, "1s")).toThrow(why);
      expect(kinds.flatMap((kind) => store.latest(kind))).toEqual([]);
      return JSON.stringify(world.play(scripts["purchase-cleared-by-network"], "7h"));
    };
    expect(changed(new MemoryStore())).toBe(changed(new SqliteStore(openDatabase())));
  },
);
