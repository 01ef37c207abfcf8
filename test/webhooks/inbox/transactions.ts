import { expect, test } from "vitest";
import {
  addAll,
  delivery,
  drain,
  handled,
  MINUTE,
  type OpenInbox,
  retried,
  type TestInbox,
  takeOne,
} from "./store.ts";

/** Opens an inbox; skips the test if it has no transactions. */
async function withEffects<Tx>(open: OpenInbox<Tx>, skip: () => never) {
  const opened = await open();
  return { ...opened, effects: opened.effects ?? skip() } satisfies TestInbox<Tx>;
}

/** Tests of `transaction` and of the user's own statements. */
export function testTransactions<Tx>(open: OpenInbox<Tx>, isSerial: boolean): void {
  test("work that rejects ends no lease", async () => {
    const { inbox, advance } = await open();
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox);
    const error = new Error("no");
    await expect(inbox.transaction(MINUTE, () => Promise.reject(error))).rejects.toBe(error);
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    expect(await inbox.renew([lease], MINUTE)).toEqual([]);
    await advance(MINUTE);
    expect(await drain(inbox)).toEqual(["a"]);
  });

  test("a part resolves to its result, and rejects with its error", async () => {
    const { inbox } = await open();
    const error = new Error("no");
    await inbox.transaction(MINUTE, async (runPart) => {
      expect(await runPart(() => 1)).toBe(1);
      expect(await runPart(async () => "a")).toBe("a");
      await expect(runPart(() => Promise.reject(error))).rejects.toBe(error);
      await expect(
        runPart(() => {
          throw error;
        }),
      ).rejects.toBe(error);
      return [];
    });
  });

  test("a transaction without settlements is committed", async ({ skip }) => {
    const { inbox, effects } = await withEffects(open, skip);
    await inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => effects.insert(tx, "a"));
      return [];
    });
    expect(await effects.list()).toEqual(["a"]);
  });

  test("effects and settlements are committed together", async ({ skip }) => {
    const { inbox, effects } = await withEffects(open, skip);
    await addAll(inbox, [delivery("a", "one"), delivery("b", "other")]);
    const leases = await inbox.take(2, MINUTE);
    await inbox.transaction(MINUTE, async (runPart) => {
      for (const { deliveries } of leases) {
        await runPart((tx) => effects.insert(tx, `${deliveries[0]?.key}`));
      }
      return leases.map((lease) => handled(lease));
    });
    expect(await effects.list()).toEqual(["a", "b"]);
    expect(await inbox.list()).toEqual([]);
  });

  test("a part that still runs when the work rejects has no effect", async ({ skip }) => {
    const { inbox, effects } = await withEffects(open, skip);
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox);
    const { promise: gate, resolve: continueLate } = Promise.withResolvers<void>();
    const { promise: late, resolve: lateEnds } = Promise.withResolvers<void>();
    const gaveUp = new Error("gave up");
    const work = inbox.transaction(MINUTE, async (runPart) => {
      const started = Promise.withResolvers<void>();
      const part = runPart(async (tx) => {
        await effects.insert(tx, "early");
        started.resolve();
        await gate;
        try {
          await effects.insert(tx, "late");
        } finally {
          lateEnds();
        }
      });
      part.catch(() => undefined);
      await started.promise;
      throw gaveUp;
    });
    await expect(work).rejects.toBe(gaveUp);
    continueLate();
    await late;
    await inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => effects.insert(tx, "next"));
      return [handled(lease)];
    });
    expect(await effects.list()).toEqual(["next"]);
  });

  test("a part that rejects undoes only its own effects", async ({ skip }) => {
    const { inbox, effects } = await withEffects(open, skip);
    await addAll(
      inbox,
      ["a", "b", "c"].map((key) => delivery(key, key)),
    );
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

  test("a statement that fails undoes its part or the whole transaction", async ({ skip }) => {
    const { inbox, effects } = await withEffects(open, skip);
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
      const isDone = await part.then(
        () => true,
        () => false,
      );
      isPartFailed = !isDone;
      return [handled(one), isDone ? handled(other) : retried(other)];
    });
    const isCommitted = await run.then(
      () => true,
      () => false,
    );
    expect(isCommitted).toBe(isPartFailed);
    expect(await effects.list()).toEqual(isCommitted ? ["a"] : []);
    const keys = (await inbox.list()).map(({ key, failures }) => [key, failures]);
    expect(keys).toEqual(
      isCommitted
        ? [["b", 1]]
        : [
            ["a", 0],
            ["b", 0],
          ],
    );
    // A rejected transaction ends no lease.
    expect(await inbox.renew([one, other], MINUTE)).toEqual(isCommitted ? [one, other] : []);
  });

  test("effects are undone if the work rejects after a part", async ({ skip }) => {
    const { inbox, effects } = await withEffects(open, skip);
    const run = inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => effects.insert(tx, "a"));
      throw new Error("no");
    });
    await expect(run).rejects.toThrow("no");
    expect(await effects.list()).toEqual([]);
  });

  test.skipIf(isSerial)("effects are undone if a lease was lost", async ({ skip }) => {
    const { inbox, effects, advance } = await withEffects(open, skip);
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

  test.skipIf(isSerial)(
    "deliveries can be added, taken and renewed while a transaction runs",
    async () => {
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
    },
  );

  test("once commits its effects with the record, and undoes them on failure", async ({ skip }) => {
    const { inbox, effects } = await withEffects(open, skip);
    const failed = inbox.once(delivery("a", "lane"), MINUTE, async (tx) => {
      await effects.insert(tx, "no");
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    const broken = inbox.once(delivery("a", "lane"), MINUTE, async (tx) => {
      await effects.insert(tx, "no");
      await effects.fail(tx);
    });
    await expect(broken).rejects.toThrow();
    expect(await effects.list()).toEqual([]);
    for (const result of ["handled", "duplicate"]) {
      const once = inbox.once(delivery("a", "lane"), MINUTE, async (tx) => effects.insert(tx, "a"));
      expect(await once).toBe(result);
    }
    expect(await effects.list()).toEqual(["a"]);
  });
}
