import { describe, expect, test } from "vitest";
import { type Inbox, LEASE_CHARACTERS, LEASE_SIZE } from "../../../src/webhooks/inbox.ts";
import { testRandomCalls } from "./calls.ts";
import { testFacts } from "./facts.ts";
import {
  addAll,
  delivery,
  drain,
  handled,
  keysOf,
  LOST,
  MINUTE,
  type OpenInbox,
  quarantined,
  settle,
  takeOne,
} from "./store.ts";

/**
 * Tests that every inbox must pass. The model covers sequential calls. The other tests cover
 * concurrent calls, limits and refusals.
 *
 * @param isSerial Whether all calls wait while a transaction runs, because the database has a
 * single connection. Tests of calls during a transaction are skipped then.
 * @param runs How many sequences of random calls are compared with the model.
 */
export function testInbox<Tx>(
  name: string,
  open: OpenInbox<Tx>,
  isSerial = false,
  runs = 20,
): void {
  describe(name, () => {
    testFacts(open, isSerial);
    testRandomCalls(name, open, runs, isSerial);
    testReceipt(open);
    testOperation(open);
    testTransactions(open, isSerial);
    testConcurrentWorkers(open);
  });
}

/** Tests of `add` and `take`. */
function testReceipt<Tx>(open: OpenInbox<Tx>): void {
  test("deliveries of a lane keep their order, also if large ones share no transaction", async () => {
    const { inbox } = await open();
    const large = (key: string, lane: string, length: number) =>
      delivery(key, lane, { body: JSON.stringify("x".repeat(length)) });
    const others = [1, 2, 3, 4].map((at) => large(`${at}`, `other ${at}`, 950_000));
    const all = [...others, large("first", "lane", 900_000), large("second", "lane", 10)];
    await Promise.all(all.map((each) => inbox.add(each)));
    expect((await inbox.list({ lane: "lane" })).map(({ key }) => key)).toEqual(["first", "second"]);
  });

  test("a key is stored once, also by concurrent calls", async () => {
    const { inbox, again } = await open();
    const other = await again();
    // Several times, because calls may not overlap.
    const keys = Array.from({ length: 20 }, (_, n) => `${n}`);
    for (const key of keys) {
      const results = await Promise.all(
        [inbox, other, inbox, other].map((each) => each.add(delivery(key, "lane"))),
      );
      expect(results.toSorted()).toEqual(["added", "waiting", "waiting", "waiting"]);
    }
    expect(await drain(inbox)).toEqual(keys);
  });

  test("a delivery whose sender has gone can be dropped before it is stored", async () => {
    const { inbox } = await open();
    const gone = inbox.add(delivery("a"), () => true);
    await expect(gone).rejects.toMatchObject({ code: "body-incomplete" });
    expect(await inbox.add(delivery("a"), () => false)).toBe("added");
  });

  test("one that can't be stored does not fail others", async () => {
    const { inbox } = await open();
    const bad = delivery("bad", "lane", { event: null as unknown as string });
    const added = await Promise.allSettled(
      [delivery("a", "lane"), bad, delivery("b", "lane")].map((each) => inbox.add(each)),
    );
    expect(added.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await drain(inbox)).toEqual(["a", "b"]);
  });

  test("a lease has a limited number and size of deliveries, but at least one", async () => {
    const { inbox } = await open();
    const sizes = [0.4, 0.5, 1.2, 0.6, 0.3];
    for (const [at, size] of sizes.entries()) {
      await inbox.add(delivery(`${at}`, "large", { body: "x".repeat(size * LEASE_CHARACTERS) }));
    }
    const taken: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const lease = await takeOne(inbox);
      taken.push(keysOf(lease));
      await settle(inbox, handled(lease));
    }
    expect(taken).toEqual([["0", "1"], ["2"], ["3", "4"]]);
    const many = Array.from({ length: LEASE_SIZE + 1 }, (_, n) => delivery(`${n} of many`, "many"));
    await Promise.all(many.map((each) => inbox.add(each)));
    expect((await takeOne(inbox)).deliveries).toHaveLength(LEASE_SIZE);
  });
}

/** Tests of `list`, `replay` and `drop`. */
function testOperation<Tx>(open: OpenInbox<Tx>): void {
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

  test.each(["since", "before"])("the filter %s must be a time", async (name) => {
    const { inbox } = await open();
    for (const call of ["list", "count", "replay", "drop"] as const) {
      await expect(inbox[call]({ [name]: "yesterday" })).rejects.toMatchObject({
        code: "usage",
        message: `${name} must be a time such as 2025-03-04T12:30:16Z; got yesterday`,
      });
    }
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

  test("a replay repairs a lane without a row", async () => {
    const { inbox, lanes } = await open();
    await addAll(inbox, [delivery("a", "lane"), delivery("b", "lane")]);
    await lanes.delete();
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    expect(await inbox.replay({})).toBe(2);
    expect(await drain(inbox)).toEqual(["a", "b"]);
    expect(await lanes.count()).toBe(0);
  });
}

/** Tests of `transaction` and `once`. */
function testTransactions<Tx>(open: OpenInbox<Tx>, isSerial: boolean): void {
  test("a part resolves to its result, and rejects with its error", async () => {
    const { inbox } = await open();
    const error = new Error("no");
    await inbox.transaction(MINUTE, async (runPart) => {
      expect(await runPart(() => 1)).toBe(1);
      expect(await runPart(async () => "a")).toBe("a");
      await expect(runPart(() => Promise.reject(error))).rejects.toBe(error);
      const thrown = runPart(() => {
        throw error;
      });
      await expect(thrown).rejects.toBe(error);
      return [];
    });
  });

  test("work that rejects has no effect and ends no lease, despite a part that runs", async () => {
    const { inbox, effects, advance } = await open();
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox);
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: gate, resolve: continueLate } = Promise.withResolvers<void>();
    const { promise: late, resolve: lateEnds } = Promise.withResolvers<void>();
    const gaveUp = new Error("gave up");
    const work = inbox.transaction(MINUTE, async (runPart) => {
      const part = runPart(async (tx) => {
        await effects.insert(tx, "early");
        start();
        await gate;
        try {
          await effects.insert(tx, "late");
        } finally {
          lateEnds();
        }
      });
      part.catch(() => undefined);
      await started;
      throw gaveUp;
    });
    await expect(work).rejects.toBe(gaveUp);
    continueLate();
    await late;
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    expect(await inbox.renew([lease], MINUTE)).toEqual([]);
    await advance(MINUTE);
    await inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => effects.insert(tx, "next"));
      return [handled(lease)];
    });
    expect(await effects.list()).toEqual(["next"]);
  });

  test.skipIf(isSerial)("other calls work while a transaction runs", async () => {
    const { inbox } = await open();
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox);
    await inbox.transaction(MINUTE, async (runPart) => {
      await runPart(async () => {
        expect(await inbox.add(delivery("b", "lane"))).toBe("added");
        expect(await inbox.add(delivery("c", "other"))).toBe("added");
        expect(await inbox.renew([lease], MINUTE)).toEqual([]);
        expect((await takeOne(inbox)).deliveries).toMatchObject([{ key: "c" }]);
      });
      return [handled(lease)];
    });
    expect(await drain(inbox)).toEqual(["b"]);
  });

  test("of many concurrent calls of once with the same key or lane one runs at a time", async () => {
    const { inbox, again } = await open();
    const handles = [inbox, await again()];
    let running = 0;
    const work = async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running -= 1;
    };
    const counts = { handled: 0, duplicate: 0, busy: 0 };
    const send = async (n: number) => {
      for (;;) {
        const each = handles[n % 2] ?? inbox;
        const result = await each.once(delivery(`${n % 5}`, "lane"), MINUTE, work);
        counts[result] += 1;
        if (result !== "busy") return;
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => send(n)));
    expect(counts).toMatchObject({ handled: 5, duplicate: 15 });
  });

  test.skipIf(isSerial)("a stalled call of once loses its lease and has no effect", async () => {
    const { inbox, again, advance, effects } = await open();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: gate, resolve: end } = Promise.withResolvers<void>();
    const stalled = inbox.once(delivery("a", "lane"), MINUTE, async (tx) => {
      await effects.insert(tx, "stalled");
      start();
      await gate;
    });
    await started;
    await advance(MINUTE);
    const other = await again();
    expect(await other.once(delivery("a", "lane"), MINUTE, async () => {})).toBe("handled");
    end();
    await expect(stalled).rejects.toEqual(LOST);
    expect(await effects.list()).toEqual([]);
    expect(await inbox.take(10, MINUTE)).toEqual([]);
  });
}

/**
 * Several workers take and settle lanes while senders add deliveries: none is lost, stranded, out of
 * order or handled by two workers at a time.
 */
export function testConcurrentWorkers<Tx>(open: OpenInbox<Tx>, count = 300): void {
  test(`${count} deliveries of concurrent senders are handled in order`, async () => {
    const { inbox, again } = await open();
    const handles = [inbox, await again(), await again()];
    const order = new Map<string, number[]>();
    const running = new Set<string>();
    let added = 0;
    let isSending = true;

    const worker = async (own: Inbox<Tx>) => {
      for (;;) {
        const isLast = !isSending;
        const leases = await own.take(3, 60 * MINUTE);
        if (leases.length === 0 && isLast) return;
        await own.transaction(MINUTE, async (runPart) => {
          for (const { lane } of leases) {
            expect(running.has(lane)).toBe(false);
            running.add(lane);
            await runPart(() => new Promise((resolve) => setImmediate(resolve)));
            running.delete(lane);
          }
          return leases.map((lease, at) => {
            // Some settlements leave deliveries behind, or nothing at all.
            const done = handled(lease, at === 2 ? 0 : lease.deliveries.length - at);
            order.set(lease.lane, [...(order.get(lease.lane) ?? []), ...done.handled]);
            return done;
          });
        });
      }
    };
    const sender = async (own: Inbox<Tx>) => {
      while (added < count) {
        const n = added++;
        await own.add(delivery(`${n}`, `lane ${(n * 7) % 5}`));
      }
    };
    const working = Promise.all(handles.map(worker));
    await Promise.all(handles.map(sender));
    isSending = false;
    await working;
    expect(await inbox.count()).toBe(0);
    for (const ids of order.values()) {
      expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    }
    const all = [...order.values()].flat();
    expect(all).toHaveLength(count);
    expect(new Set(all).size).toBe(count);
  });
}
