import { expect, test, vi } from "vitest";
import {
  addAll,
  delivery,
  drain,
  handled,
  LOST,
  MINUTE,
  type OpenInbox,
  quarantined,
  released,
  retried,
  settle,
  takeOne,
} from "./store.ts";

/** Starts a call of `once` whose work runs until the test ends it. */
function pausedWork() {
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const { promise, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const work = async () => {
    start();
    await promise;
  };
  return { work, started, end, fail };
}

/** Tests of `once`, and of lost leases. */
export function testOnce<Tx>(open: OpenInbox<Tx>, isSerial: boolean): void {
  test("work runs once for a key, also of another handle", async () => {
    const { inbox, again } = await open();
    const work = vi.fn(async () => "a result");
    for (const each of [inbox, await again(), inbox]) {
      await each.once(delivery("a", "lane"), MINUTE, work);
    }
    expect(work).toHaveBeenCalledOnce();
  });

  test("once rejects with the error of the work, also with one that is thrown", async () => {
    const { inbox } = await open();
    const error = new Error("out of order");
    const works = [
      () => Promise.reject(error),
      () => {
        throw error;
      },
    ];
    for (const work of works) {
      await expect(inbox.once(delivery("a", "lane"), MINUTE, work)).rejects.toBe(error);
    }
    expect(await inbox.once(delivery("a", "lane"), MINUTE, async () => {})).toBe("handled");
  });

  test.skipIf(isSerial).each([
    ["key", delivery("a", "one"), delivery("a", "other"), delivery("b", "other")],
    ["key, without a lane,", delivery("a"), delivery("a"), delivery("b")],
    ["lane", delivery("a", "one"), delivery("b", "one"), delivery("c", "other")],
    ["lane, without a key,", delivery(null, "one"), delivery(null, "one"), delivery(null)],
  ])("of concurrent calls with the same %s one runs", async (_what, first, same, different) => {
    const { inbox, again } = await open();
    const other = await again();
    const { work, started, end } = pausedWork();
    const running = inbox.once(first, MINUTE, work);
    await started;
    const late = vi.fn(async () => {});
    expect(await inbox.once(same, MINUTE, late)).toBe("busy");
    expect(await other.once(same, MINUTE, late)).toBe("busy");
    expect(late).not.toHaveBeenCalled();
    expect(await other.once(different, MINUTE, late)).toBe("handled");
    end();
    expect(await running).toBe("handled");
    const isDuplicate = first.key !== null && first.key === same.key;
    expect(await other.once(same, MINUTE, late)).toBe(isDuplicate ? "duplicate" : "handled");
  });

  test("of many concurrent calls with the same key or lane one runs at a time", async () => {
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

  test.skipIf(isSerial).each(["handled", "failed"])(
    "a delivery added to the lane of a call is taken after the call %s",
    async (result) => {
      const { inbox } = await open();
      const { work, started, end, fail } = pausedWork();
      const running = inbox.once(delivery("a", "lane"), MINUTE, work).catch(() => "failed");
      await started;
      expect(await inbox.add(delivery("b", "lane"))).toBe("added");
      expect(await inbox.take(1, MINUTE)).toEqual([]);
      if (result === "handled") end();
      else fail(new Error("no"));
      expect(await running).toBe(result);
      expect((await inbox.status()).lagMs).toBeLessThan(10_000);
      const lease = await takeOne(inbox);
      expect(lease.interruptions).toBe(0);
      await settle(inbox, handled(lease));
      expect(await drain(inbox)).toEqual([]);
    },
  );

  test.skipIf(isSerial)("a key that is stored while it is handled is handled later", async () => {
    const { inbox } = await open();
    const { work, started, end } = pausedWork();
    const running = inbox.once(delivery("a", "lane"), MINUTE, work);
    await started;
    expect(await inbox.add(delivery("a", "other"))).toBe("added");
    end();
    await expect(running).rejects.toEqual(LOST);
    expect(await drain(inbox)).toEqual(["a"]);
  });

  test.skipIf(isSerial)(
    "a call whose process stalled loses its lease and records nothing",
    async () => {
      const { inbox, again, advance } = await open();
      const { work, started, end } = pausedWork();
      const running = inbox.once(delivery("a", "lane"), MINUTE, work);
      await started;
      await advance(MINUTE);
      expect(await (await again()).once(delivery("a", "lane"), MINUTE, async () => {})).toBe(
        "handled",
      );
      end();
      await expect(running).rejects.toEqual(LOST);
      expect(await inbox.take(10, MINUTE)).toEqual([]);
    },
  );

  test("a transaction with a lost lease changes nothing, also for other lanes", async () => {
    const { inbox, advance } = await open();
    await addAll(inbox, [delivery("a", "lane"), delivery("b", "other")]);
    const late = await takeOne(inbox);
    await advance(MINUTE);
    const leases = await inbox.take(10, MINUTE);
    const other = leases.find(({ lane }) => lane !== late.lane);
    if (!other) throw new Error("not due");
    expect(await inbox.renew([late, other], 10 * MINUTE)).toEqual([late]);
    const before = await inbox.list();
    for (const each of [handled, released, retried, quarantined]) {
      await expect(settle(inbox, handled(other), each(late))).rejects.toEqual(LOST);
    }
    expect(await inbox.list()).toEqual(before);
    await settle(inbox, ...leases.map((lease) => handled(lease)));
    expect(await inbox.list()).toEqual([]);
  });
}
