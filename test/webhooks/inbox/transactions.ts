import { expect, test } from "vitest";
import {
  addAll,
  delivery,
  drain,
  handled,
  MINUTE,
  type OpenInbox,
  retried,
  takeOne,
} from "./store.ts";

/** Tests of `transaction` and of the user's own statements. */
export function testTransactions<Tx>(open: OpenInbox<Tx>, isSerial: boolean): void {
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

  test("effects and settlements are committed together, also if there are none", async () => {
    const { inbox, effects } = await open();
    await addAll(inbox, [delivery("a", "one"), delivery("b", "other")]);
    const leases = await inbox.take(2, MINUTE);
    await inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => effects.insert(tx, "none"));
      return [];
    });
    await inbox.transaction(MINUTE, async (runPart) => {
      for (const { deliveries } of leases) {
        await runPart((tx) => effects.insert(tx, `${deliveries[0]?.key}`));
      }
      return leases.map((lease) => handled(lease));
    });
    expect(await effects.list()).toEqual(["none", "a", "b"]);
    expect(await inbox.list()).toEqual([]);
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
      await runPart((tx) => effects.insert(tx, "ended"));
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

  test("a part that rejects undoes only its own effects", async () => {
    const { inbox, effects } = await open();
    for (const key of ["a", "b", "c"]) await inbox.add(delivery(key, key));
    const leases = await inbox.take(3, MINUTE);
    await inbox.transaction(MINUTE, async (runPart) => {
      const settlements = [];
      for (const lease of leases) {
        const key = `${lease.deliveries[0]?.key}`;
        const part = runPart(async (tx) => {
          await effects.insert(tx, key);
          if (key === "b") throw new Error("no");
        });
        settlements.push(
          await part.then(
            () => handled(lease),
            () => retried(lease, 0),
          ),
        );
      }
      return settlements;
    });
    expect(await effects.list()).toEqual(["a", "c"]);
    expect(await inbox.list()).toMatchObject([{ key: "b", failures: 1 }]);
  });

  test("a statement that fails undoes its part or the whole transaction", async () => {
    const { inbox, effects } = await open();
    await addAll(inbox, [delivery("a", "one"), delivery("b", "other")]);
    const [one, other] = await inbox.take(2, MINUTE);
    if (!one || !other) throw new Error("not due");
    let isPartFailed = false;
    const run = inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => effects.insert(tx, "a"));
      const part = runPart(async (tx) => {
        await effects.insert(tx, "b");
        await effects.fail(tx);
      });
      await part.catch(() => {
        isPartFailed = true;
      });
      return [handled(one), isPartFailed ? retried(other) : handled(other)];
    });
    const isCommitted = await run.then(
      () => true,
      () => false,
    );
    expect(isCommitted).toBe(isPartFailed);
    expect(await effects.list()).toEqual(isCommitted ? ["a"] : []);
    const states = (await inbox.list()).map(({ key, failures }) => `${key} ${failures}`);
    expect(states).toEqual(isCommitted ? ["b 1"] : ["a 0", "b 0"]);
    // A rejected transaction ends no lease.
    expect(await inbox.renew([one, other], MINUTE)).toEqual(isCommitted ? [one, other] : []);
  });

  test.skipIf(isSerial)("effects are undone if a lease was lost", async () => {
    const { inbox, effects, advance } = await open();
    await addAll(inbox, [delivery("a", "lane"), delivery("b", "other")]);
    const late = await takeOne(inbox);
    await advance(MINUTE);
    const run = inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => effects.insert(tx, "a"));
      // Another worker takes the lane while the handler runs.
      expect(await inbox.take(2, MINUTE)).toHaveLength(2);
      return [handled(late)];
    });
    await expect(run).rejects.toMatchObject({ code: "lease-lost" });
    expect(await effects.list()).toEqual([]);
    expect(await inbox.list()).toHaveLength(2);
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

  test("once commits its effects with the record, and undoes them on failure", async () => {
    const { inbox, effects } = await open();
    const once = (work: (tx: Tx) => Promise<void>) =>
      inbox.once(delivery("a", "lane"), MINUTE, work);
    const failed = once(async (tx) => {
      await effects.insert(tx, "no");
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    const broken = once(async (tx) => {
      await effects.insert(tx, "no");
      await effects.fail(tx);
    });
    await expect(broken).rejects.toThrow();
    expect(await effects.list()).toEqual([]);
    for (const result of ["handled", "duplicate"]) {
      expect(await once(async (tx) => effects.insert(tx, "a"))).toBe(result);
    }
    expect(await effects.list()).toEqual(["a"]);
  });
}
