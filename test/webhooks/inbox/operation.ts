import { expect, test } from "vitest";
import type { DeliveryFilter } from "../../../src/webhooks/inbox.ts";
import {
  addAll,
  delivery,
  drain,
  MINUTE,
  type OpenInbox,
  quarantined,
  retried,
  settle,
  takeOne,
} from "./store.ts";

const at = (minute: number) => new Date(Date.UTC(2025, 2, 4, 12, minute)).toISOString();

/** Adds a to d; b and d are in quarantine. */
async function filled<Tx>(open: OpenInbox<Tx>) {
  const { inbox } = await open();
  await addAll(inbox, [
    delivery("b", "one", { event: "x", receivedAt: at(2) }),
    delivery("d", null, { event: "y", receivedAt: at(4) }),
  ]);
  for (const lease of await inbox.take(2, MINUTE)) await settle(inbox, quarantined(lease));
  await addAll(inbox, [
    delivery("a", "one", { event: "y", receivedAt: at(1) }),
    delivery("c", "two", { event: "x", receivedAt: at(3) }),
  ]);
  const [b, d, a, c] = (await inbox.list()).map(({ id }) => id);
  return { inbox, ids: { a, b, c, d } as Record<string, number> };
}

const filters: [string, (ids: Record<string, number>) => DeliveryFilter, string][] = [
  ["no condition", () => ({}), "bdac"],
  ["state waiting", () => ({ state: "waiting" }), "ac"],
  ["state quarantined", () => ({ state: "quarantined" }), "bd"],
  ["ids", ({ a = 0, d = 0 }) => ({ ids: [a, d, 999_999] }), "da"],
  ["no ids", () => ({ ids: [] }), ""],
  ["event", () => ({ event: "x" }), "bc"],
  ["lane", () => ({ lane: "one" }), "ba"],
  ["an unknown lane", () => ({ lane: "One" }), ""],
  ["since", () => ({ since: at(3) }), "dc"],
  ["before", () => ({ before: at(3) }), "ba"],
  ["since and before", () => ({ since: at(2), before: at(4) }), "bc"],
  ["times with an offset", () => ({ since: "2025-03-04T14:03:00+02:00" }), "dc"],
  ["times without milliseconds", () => ({ since: "2025-03-04T12:04:00Z" }), "d"],
  ["a day", () => ({ since: "2025-03-04", before: "2025-03-05" }), "bdac"],
  ["after an id", ({ d = 0 }) => ({ after: d }), "ac"],
  ["after an id, and a limit", ({ b = 0 }) => ({ after: b, limit: 2 }), "da"],
  ["a limit", () => ({ limit: 2 }), "bd"],
  ["a limit of 0", () => ({ limit: 0 }), ""],
  ["all conditions", ({ b = 0 }) => ({ ids: [b], state: "quarantined", lane: "one" }), "b"],
  ["conditions that exclude each other", () => ({ event: "y", lane: "two" }), ""],
  ["a condition and a limit", () => ({ state: "waiting", limit: 1 }), "a"],
];

/** Tests of `status`, `list`, `count`, `replay` and `drop`. */
export function testOperation<Tx>(open: OpenInbox<Tx>): void {
  test("drop by state leaves a delivery that changes its state meanwhile", async () => {
    const { inbox } = await open();
    for (let n = 0; n < 10; n += 1) {
      await inbox.add(delivery(`${n}`));
      await settle(inbox, quarantined(await takeOne(inbox)));
      const dropping = inbox.drop({ state: "quarantined" });
      const added = await inbox.add(delivery(`${n}`));
      const dropped = await dropping;
      expect([added, dropped]).toEqual(added === "replayed" ? [added, 0] : ["added", 1]);
      expect(await inbox.drop({ state: "waiting" })).toBe(1);
    }
  });

  test.each(filters)(
    "a filter with %s selects the same for each call",
    async (_, filterOf, keys) => {
      const { inbox, ids } = await filled(open);
      const filter = filterOf(ids);
      const keysOf = async (of?: DeliveryFilter) => (await inbox.list(of)).map(({ key }) => key);
      expect(await keysOf(filter)).toEqual([...keys]);
      expect(await inbox.count(filter)).toBe(keys.length);
      expect(await inbox.replay(filter)).toBe(keys.length);
      const waiting = await keysOf({ state: "waiting" });
      expect(waiting).toEqual(
        [..."bdac"].filter((key) => keys.includes(key) || "ac".includes(key)),
      );
      expect((await drain(inbox)).toSorted()).toEqual(waiting.toSorted());
    },
  );

  test.each(filters)("what is dropped with %s can be received again", async (_, filterOf, keys) => {
    const { inbox, ids } = await filled(open);
    expect(await inbox.drop(filterOf(ids))).toBe(keys.length);
    const rest = [..."bdac"].filter((key) => !keys.includes(key));
    expect((await inbox.list()).map(({ key }) => key)).toEqual(rest);
    for (const key of keys) expect(await inbox.add(delivery(key, "new"))).toBe("added");
    const due = rest.filter((key) => "ac".includes(key));
    expect((await drain(inbox)).toSorted()).toEqual([...due, ...keys].toSorted());
  });

  test.each(["since", "before"])("the filter %s must be a time", async (name) => {
    const { inbox } = await open();
    for (const call of ["list", "count", "replay", "drop"] as const) {
      await expect(inbox[call]({ [name]: "yesterday" })).rejects.toThrow(
        expect.objectContaining({
          code: "usage",
          message: `${name} must be a time such as 2025-03-04T12:30:16Z; got yesterday`,
        }),
      );
    }
  });

  test("more than nine deliveries are listed by ascending id", async () => {
    const { inbox } = await open();
    for (let n = 0; n < 12; n += 1) await inbox.add(delivery(null));
    const ids = (await inbox.list()).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect((await inbox.list({ limit: 3 })).map(({ id }) => id)).toEqual(ids.slice(0, 3));
  });

  test("a lane whose leased deliveries were all dropped is empty after the lease", async () => {
    const { inbox, advance } = await open();
    await inbox.add(delivery("a", "lane"));
    await takeOne(inbox);
    await inbox.drop({});
    await advance(MINUTE);
    expect(await inbox.take(10, MINUTE)).toEqual([]);
    await inbox.add(delivery("b", "lane"));
    expect(await drain(inbox)).toEqual(["b"]);
  });

  test("status has the age of the first waiting delivery, and how long a lane is due", async () => {
    const { inbox, advance } = await open();
    const empty = { waiting: 0, quarantined: 0, running: 0, delayed: 0, stalled: 0 };
    expect(await inbox.status()).toEqual({ ...empty, oldestAgeMs: null, lagMs: null });
    for (const [key, ageMs] of Object.entries({ a: 5 * MINUTE, b: 3 * MINUTE, c: -MINUTE })) {
      const receivedAt = new Date(Date.now() - ageMs).toISOString();
      await inbox.add(delivery(key, "lane", { receivedAt }));
    }
    await advance(MINUTE);
    for (const [age, settlement] of [
      [5, (lease: Parameters<typeof retried>[0]) => retried(lease, 0)],
      [5, quarantined],
      [3, quarantined],
    ] as const) {
      const status = await inbox.status();
      expect(Math.floor((status.oldestAgeMs ?? 0) / MINUTE)).toBe(age);
      await settle(inbox, settlement(await takeOne(inbox)));
    }
    expect(await inbox.status()).toMatchObject({ waiting: 1, quarantined: 2, oldestAgeMs: 0 });
    await advance(2 * MINUTE);
    const { lagMs } = await inbox.status();
    expect(Math.floor((lagMs ?? 0) / MINUTE)).toBe(2);
  });
}
