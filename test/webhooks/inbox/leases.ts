import { expect, test } from "vitest";
import type { LeaseLostError } from "../../../src/errors.ts";
import {
  addAll,
  delivery,
  drain,
  firstId,
  handled,
  keysOf,
  MINUTE,
  type OpenInbox,
  quarantined,
  released,
  retried,
  settle,
  takeOne,
} from "./store.ts";

const LOST = expect.objectContaining({
  code: "lease-lost" satisfies LeaseLostError["code"],
  message: expect.stringMatching(/^.{20,}$/),
});

/** Tests of `take`, `renew` and the end of leases. */
export function testLeases<Tx>(open: OpenInbox<Tx>): void {
  test("a lane is taken once, with its deliveries in order of receipt", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["b", "a", "c"].map((key) => delivery(key, "lane")),
    );
    const leases = await inbox.take(10, MINUTE);
    expect(leases.map(keysOf)).toEqual([["b", "a", "c"]]);
    expect(await inbox.take(10, MINUTE)).toEqual([]);
  });

  test("a delivery of a leased lane waits for the end of the lease", async () => {
    const { inbox } = await open();
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox);
    await inbox.add(delivery("b", "lane"));
    expect(await inbox.take(10, MINUTE)).toEqual([]);
    await settle(inbox, handled(lease));
    expect(await drain(inbox)).toEqual(["b"]);
  });

  test("other lanes and deliveries without a lane are taken in parallel", async () => {
    const { inbox } = await open();
    await addAll(inbox, [delivery("a", "one"), delivery("b", "other"), delivery("c", "one")]);
    await addAll(inbox, [delivery("d"), delivery("e"), delivery(null), delivery(null)]);
    const leases = await inbox.take(10, MINUTE);
    expect(leases.map(keysOf)).toEqual([["a", "c"], ["b"], ["d"], ["e"], [null], [null]]);
    expect(new Set(leases.map(({ lane }) => lane)).size).toBe(6);
    expect(new Set(leases.map(({ token }) => token)).size).toBe(6);
  });

  test("at most as many lanes are taken as asked for, those due the longest first", async () => {
    const { inbox, advance } = await open();
    await addAll(inbox, [delivery("a", "one"), delivery("b", "other")]);
    await settle(inbox, retried(await takeOne(inbox), MINUTE));
    await advance(2 * MINUTE);
    await inbox.add(delivery("c", "third"));
    expect((await inbox.take(2, MINUTE)).map(keysOf)).toEqual([["b"], ["a"]]);
    expect((await inbox.take(2, MINUTE)).map(keysOf)).toEqual([["c"]]);
  });

  test("a lane with a long backlog does not delay the others", async () => {
    const { inbox, advance } = await open();
    for (let n = 0; n < 100; n += 1) await inbox.add(delivery(`a${n}`, "long"));
    await inbox.add(delivery("b", "short"));
    const long = await takeOne(inbox);
    await advance(1000);
    await settle(inbox, handled(long, 1));
    // The short lane is due longer than the rest of the long one.
    expect(keysOf(await takeOne(inbox))).toEqual(["b"]);
  });

  test("concurrent calls never take the same lane", async () => {
    const { inbox, again } = await open();
    const others = [inbox, await again(), await again()];
    for (let n = 0; n < 60; n += 1) await inbox.add(delivery(`${n}`, `lane ${n % 20}`));
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (others[n % 3] ?? inbox).take(3, MINUTE)),
    );
    const lanes = taken.flat().map(({ lane }) => lane);
    expect(lanes).toHaveLength(20);
    expect(new Set(lanes).size).toBe(20);
  });

  test("an expired lease is due again, with one delivery and a count of interruptions", async () => {
    const { inbox, advance } = await open();
    await addAll(
      inbox,
      ["a", "b"].map((key) => delivery(key, "lane")),
    );
    const first = await takeOne(inbox);
    await advance(MINUTE - 10_000);
    expect(await inbox.take(10, MINUTE)).toEqual([]);
    await advance(10_000);
    const second = await takeOne(inbox);
    expect(keysOf(second)).toEqual(["a"]);
    expect(second).toMatchObject({ lane: first.lane, interruptions: 1 });
    expect(second.token).not.toBe(first.token);
    await advance(MINUTE);
    const third = await takeOne(inbox);
    expect(third).toMatchObject({ interruptions: 2, deliveries: [{ key: "a", failures: 0 }] });
    await settle(inbox, handled(third));
    expect(await takeOne(inbox)).toMatchObject({ interruptions: 0, deliveries: [{ key: "b" }] });
  });

  test.each([
    ["a failure", (lease: Parameters<typeof retried>[0]) => retried(lease, 0)],
    ["a quarantine", quarantined],
  ])("%s resets the interruptions", async (_what, settlement) => {
    const { inbox, advance } = await open();
    await addAll(
      inbox,
      ["a", "b", "c"].map((key) => delivery(key, "lane")),
    );
    await takeOne(inbox);
    await advance(MINUTE);
    await settle(inbox, settlement(await takeOne(inbox)));
    const next = await takeOne(inbox);
    expect(next.interruptions).toBe(0);
    expect(next.deliveries.length).toBeGreaterThan(1);
  });

  test("a released lane is due at once, as if it had not been taken", async () => {
    const { inbox, advance } = await open();
    await addAll(
      inbox,
      ["a", "b"].map((key) => delivery(key, "lane")),
    );
    await settle(inbox, released(await takeOne(inbox)));
    const again = await takeOne(inbox);
    expect(again).toMatchObject({ interruptions: 0, deliveries: [{ key: "a" }, { key: "b" }] });
    await advance(MINUTE);
    await settle(inbox, released(await takeOne(inbox)));
    const interrupted = await takeOne(inbox);
    expect(interrupted).toMatchObject({ interruptions: 1, deliveries: [{ failures: 0 }] });
    expect(interrupted.deliveries).toHaveLength(1);
  });

  test("a renewed lease lasts from now", async () => {
    const { inbox, advance } = await open();
    await addAll(inbox, [delivery("a", "one"), delivery("b", "other")]);
    const leases = await inbox.take(2, MINUTE);
    await advance(MINUTE - 15_000);
    expect(await inbox.renew(leases, MINUTE)).toEqual([]);
    await advance(MINUTE - 15_000);
    expect(await inbox.take(10, MINUTE)).toEqual([]);
    await advance(15_000);
    expect(await inbox.take(10, MINUTE)).toHaveLength(2);
  });

  test("an expired lease whose lane was not taken again can be renewed and settled", async () => {
    const { inbox, advance } = await open();
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox);
    await advance(MINUTE);
    expect(await inbox.renew([lease], MINUTE)).toEqual([]);
    expect(await inbox.take(10, MINUTE)).toEqual([]);
    await advance(MINUTE);
    await settle(inbox, handled(lease));
    expect(await inbox.add(delivery("a", "lane"))).toBe("handled");
    expect(await drain(inbox)).toEqual([]);
  });

  test("a lost lease is reported by renew and has no effect", async () => {
    const { inbox, advance } = await open();
    await addAll(inbox, [delivery("a", "lane"), delivery("b", "other")]);
    const late = await takeOne(inbox);
    await advance(MINUTE);
    const leases = await inbox.take(10, MINUTE);
    const mine = leases.find(({ lane }) => lane === late.lane);
    const other = leases.find(({ lane }) => lane !== late.lane);
    if (!mine || !other) throw new Error("not due");
    expect(await inbox.renew([late, other], 10 * MINUTE)).toEqual([late]);
    for (const each of [handled, released, retried, quarantined]) {
      await expect(settle(inbox, each(late))).rejects.toEqual(LOST);
    }
    // Nothing of the transaction is changed, also for lanes whose lease is current.
    await expect(settle(inbox, handled(other), handled(late))).rejects.toEqual(LOST);
    expect((await inbox.list()).map(({ key, state, failures }) => [key, state, failures])).toEqual([
      ["a", "waiting", 0],
      ["b", "waiting", 0],
    ]);
    await settle(inbox, handled(mine), handled(other));
    expect(await inbox.list()).toEqual([]);
  });

  test("a settled lease cannot be settled again", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b"].map((key) => delivery(key, "lane")),
    );
    const lease = await takeOne(inbox);
    await settle(inbox, handled(lease, 1));
    await expect(settle(inbox, handled(lease))).rejects.toEqual(LOST);
    const next = await takeOne(inbox);
    expect(keysOf(next)).toEqual(["b"]);
    await expect(settle(inbox, released(lease))).rejects.toEqual(LOST);
    expect(await inbox.take(1, MINUTE)).toEqual([]);
  });

  test("deliveries that a settlement does not list stay, due at once", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b", "c", "d"].map((key) => delivery(key, "lane")),
    );
    const lease = await takeOne(inbox);
    await settle(inbox, handled(lease, 2));
    expect(await drain(inbox)).toEqual(["c", "d"]);
  });

  test("a failed delivery delays its own lane, in order", async () => {
    const { inbox, advance } = await open();
    await addAll(inbox, [delivery("a", "one"), delivery("b", "one"), delivery("c", "other")]);
    const [one, other] = await inbox.take(2, MINUTE);
    if (!one || !other) throw new Error("not due");
    await settle(inbox, retried(one, MINUTE), handled(other));
    await addAll(inbox, [delivery("d", "one"), delivery("e", "other")]);
    expect(await drain(inbox)).toEqual(["e"]);
    await advance(MINUTE - 10_000);
    expect(await drain(inbox)).toEqual([]);
    await advance(10_000);
    const again = await takeOne(inbox);
    expect(again.deliveries.map(({ key, failures }) => [key, failures])).toEqual([
      ["a", 1],
      ["b", 0],
      ["d", 0],
    ]);
  });

  test("handled ones and a retry can be in one settlement; only failures are counted", async () => {
    const { inbox, advance } = await open();
    await addAll(
      inbox,
      ["a", "b", "c"].map((key) => delivery(key, "lane")),
    );
    const lease = await takeOne(inbox);
    const [a, b] = lease.deliveries;
    if (!a || !b) throw new Error("not due");
    const retry = { id: b.id, delayMs: MINUTE, reason: "later", isFailure: false };
    await settle(inbox, { lease, handled: [a.id], quarantined: [], retry });
    expect(await inbox.list()).toMatchObject([
      { key: "b", failures: 0, reason: "later" },
      { key: "c", failures: 0, reason: null },
    ]);
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    await advance(MINUTE);
    await settle(inbox, retried(await takeOne(inbox), 0));
    await settle(inbox, retried(await takeOne(inbox), 0, { isFailure: false, reason: "busy" }));
    expect(await inbox.list()).toMatchObject([{ failures: 1, reason: "busy" }, { failures: 0 }]);
  });

  test("the next delivery follows one in quarantine, and sees that it is missing", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b", "c", "d"].map((key) => delivery(key, "lane")),
    );
    await inbox.add(delivery("e", "other"));
    const lease = await takeOne(inbox);
    const missing = lease.deliveries.map((each) => each.missing);
    expect(missing).toEqual([0, 0, 0, 0]);
    const [a, b, c] = lease.deliveries.map(({ id }) => id);
    if (!a || !b || !c) throw new Error("not due");
    const reasons = [
      { id: a, reason: "no a" },
      { id: c, reason: "no c" },
    ];
    await settle(inbox, { lease, handled: [b], quarantined: reasons });
    const leases = await inbox.take(2, MINUTE);
    const counts = leases.flatMap(({ deliveries }) => deliveries.map((each) => each.missing));
    expect(counts.toSorted()).toEqual([0, 2]);
    await settle(inbox, ...leases.map(released));
    expect(await inbox.drop({ ids: [a] })).toBe(1);
    const again = (await inbox.take(2, MINUTE)).flatMap(({ deliveries }) => deliveries);
    expect(again.find(({ key }) => key === "d")).toMatchObject({ missing: 1 });
  });

  test("a delivery that was dropped while it was handled stays dropped", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b"].map((key) => delivery(key, "lane")),
    );
    const lease = await takeOne(inbox);
    expect(await inbox.drop({ ids: [firstId(lease)] })).toBe(1);
    await settle(inbox, retried(lease));
    expect(keysOf(await takeOne(inbox))).toEqual(["b"]);
  });
}
