import { describe, expect, test } from "vitest";
import type { DeliveryFilter } from "../../../src/webhooks/inbox.ts";
import {
  addAll,
  delivery,
  drain,
  handled,
  keysOf,
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
  const opened = await open();
  const { inbox } = opened;
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
  return { ...opened, ids: { a, b, c, d } as Record<string, number> };
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

/** Tests of `status`, `list`, `replay` and `drop`. */
export function testOperation<Tx>(open: OpenInbox<Tx>): void {
  describe.each(filters)("the filter with %s", (_what, filterOf, keys) => {
    const wanted = [...keys];

    test("selects deliveries for list by ascending id", async () => {
      const { inbox, ids } = await filled(open);
      expect((await inbox.list(filterOf(ids))).map(({ key }) => key)).toEqual(wanted);
    });

    test("selects deliveries for count", async () => {
      const { inbox, ids } = await filled(open);
      expect(await inbox.count(filterOf(ids))).toBe(wanted.length);
    });

    test("selects deliveries for replay", async () => {
      const { inbox, ids } = await filled(open);
      expect(await inbox.replay(filterOf(ids))).toBe(wanted.length);
      const waiting = (await inbox.list({ state: "waiting" })).map(({ key }) => key);
      expect(waiting).toEqual(
        [..."bdac"].filter((key) => keys.includes(key) || "ac".includes(key)),
      );
      expect((await drain(inbox)).toSorted()).toEqual(waiting.toSorted());
    });

    test("selects deliveries for drop, which can be received again", async () => {
      const { inbox, ids } = await filled(open);
      expect(await inbox.drop(filterOf(ids))).toBe(wanted.length);
      const rest = [..."bdac"].filter((key) => !keys.includes(key));
      expect((await inbox.list()).map(({ key }) => key)).toEqual(rest);
      for (const key of wanted) expect(await inbox.add(delivery(key, "new"))).toBe("added");
      const due = rest.filter((key) => "ac".includes(key));
      expect((await drain(inbox)).toSorted()).toEqual([...due, ...wanted].toSorted());
    });
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

  test("list shows a delivery with its state, failures and reason", async () => {
    const { inbox } = await open();
    const added = delivery("a", "lane", { headers: { "x-a": "1" }, deliveryId: "msg_1" });
    await addAll(inbox, [added, delivery("b", "lane")]);
    await settle(inbox, retried(await takeOne(inbox), 0, { reason: "no money" }));
    expect(await inbox.list()).toEqual([
      { ...added, id: expect.any(Number), state: "waiting", failures: 1, reason: "no money" },
      expect.objectContaining({ key: "b", failures: 0, reason: null }),
    ]);
  });

  test("list shows no handled deliveries", async () => {
    const { inbox } = await open();
    await inbox.add(delivery("a", "lane"));
    await drain(inbox);
    expect(await inbox.list()).toEqual([]);
    expect(await inbox.count()).toBe(0);
    expect(await inbox.replay({})).toBe(0);
    expect(await inbox.drop({})).toBe(0);
    expect(await inbox.add(delivery("a", "lane"))).toBe("handled");
  });

  test("replay makes a delayed lane due, without resetting failures", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b"].map((key) => delivery(key, "lane")),
    );
    await settle(inbox, retried(await takeOne(inbox)));
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    expect(await inbox.replay({ limit: 1 })).toBe(1);
    const lease = await takeOne(inbox);
    expect(lease.deliveries).toMatchObject([
      { key: "a", failures: 1 },
      { key: "b", failures: 0 },
    ]);
  });

  test("replay and drop keep a current lease", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b", "c"].map((key) => delivery(key, "lane")),
    );
    const lease = await takeOne(inbox);
    expect(await inbox.replay({})).toBe(3);
    expect(await inbox.drop({ ids: lease.deliveries.slice(1, 2).map(({ id }) => id) })).toBe(1);
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    expect(await inbox.renew([lease], MINUTE)).toEqual([]);
    await settle(inbox, handled(lease, 1));
    expect(await drain(inbox)).toEqual(["c"]);
  });

  test("a delivery replayed while its lane is leased comes next, despite a retry", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b"].map((key) => delivery(key, "lane")),
    );
    await settle(inbox, quarantined(await takeOne(inbox)));
    const lease = await takeOne(inbox);
    expect(await inbox.replay({ state: "quarantined" })).toBe(1);
    await settle(inbox, retried(lease));
    expect(keysOf(await takeOne(inbox))).toEqual(["a", "b"]);
  });

  test("the lane of a dropped delivery goes on with the next one", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b"].map((key) => delivery(key, "lane")),
    );
    await settle(inbox, retried(await takeOne(inbox)));
    expect(await inbox.drop({ limit: 1 })).toBe(1);
    expect(await drain(inbox)).toEqual(["b"]);
  });

  test("dropping a delivery in quarantine does not shorten the delay of its lane", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b"].map((key) => delivery(key, "lane")),
    );
    await settle(inbox, quarantined(await takeOne(inbox)));
    await settle(inbox, retried(await takeOne(inbox)));
    expect(await inbox.drop({ state: "quarantined" })).toBe(1);
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    expect(await inbox.status()).toMatchObject({ waiting: 1, quarantined: 0, delayed: 1 });
  });

  test.each(["drop", "replay"] as const)("%s forgets the interruptions of a lane", async (call) => {
    const { inbox, advance } = await open();
    await addAll(
      inbox,
      ["a", "b", "c"].map((key) => delivery(key, "lane")),
    );
    await takeOne(inbox);
    await advance(MINUTE);
    await takeOne(inbox);
    await advance(MINUTE);
    // The process that had the lease ended, but the lease is still current.
    expect((await takeOne(inbox)).interruptions).toBe(2);
    await inbox[call]({ limit: 1 });
    await advance(MINUTE);
    // The next delivery did not cause the interruptions.
    expect((await takeOne(inbox)).interruptions).toBe(1);
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

  test("status counts deliveries and lanes", async () => {
    const { inbox, advance } = await open();
    const empty = { waiting: 0, quarantined: 0, running: 0, delayed: 0, stalled: 0 };
    expect(await inbox.status()).toEqual({ ...empty, oldestAgeMs: null, lagMs: null });
    const receivedAt = new Date(Date.now() - MINUTE).toISOString();
    await addAll(inbox, [
      delivery("a", "one", { receivedAt }),
      delivery("b", "one", { receivedAt: new Date().toISOString() }),
    ]);
    const status = await inbox.status();
    expect(status).toMatchObject({ ...empty, waiting: 2 });
    expect(status.oldestAgeMs).toBeGreaterThanOrEqual(MINUTE);
    expect(status.oldestAgeMs).toBeLessThan(2 * MINUTE);

    expect(status.lagMs).toBeLessThan(MINUTE);
    await advance(MINUTE);
    const lagging = await inbox.status();
    expect(lagging.lagMs).toBeGreaterThanOrEqual(MINUTE);
    expect(lagging.lagMs).toBeLessThan(2 * MINUTE);

    const lease = await takeOne(inbox);
    const running = { ...empty, waiting: 2, running: 1, lagMs: null };
    expect(await inbox.status()).toMatchObject(running);
    await advance(3 * MINUTE);
    const stalled = await inbox.status();
    expect(stalled).toMatchObject({ ...empty, waiting: 2, stalled: 1 });
    expect(stalled.lagMs).toBeGreaterThanOrEqual(2 * MINUTE);
    expect(stalled.lagMs).toBeLessThan(3 * MINUTE);
    await settle(inbox, retried(lease));
    const delayed = { ...empty, waiting: 2, delayed: 1, lagMs: null };
    expect(await inbox.status()).toMatchObject(delayed);
    await advance(MINUTE);
    expect(await inbox.status()).toMatchObject({ ...empty, waiting: 2 });
    await settle(inbox, quarantined(await takeOne(inbox)));
    const later = await inbox.status();
    expect(later).toMatchObject({ ...empty, waiting: 1, quarantined: 1 });
    expect(later.oldestAgeMs).toBeLessThan(MINUTE);
    await drain(inbox);
    const end = { ...empty, quarantined: 1, oldestAgeMs: null, lagMs: null };
    expect(await inbox.status()).toEqual(end);
  });
}
