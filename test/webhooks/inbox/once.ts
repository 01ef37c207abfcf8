import { expect, test, vi } from "vitest";
import {
  addAll,
  delivery,
  drain,
  handled,
  MINUTE,
  type OpenInbox,
  quarantined,
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

/** Tests of `once`. */
export function testOnce<Tx>(open: OpenInbox<Tx>, isSerial: boolean): void {
  test("once handles a delivery with a key once", async () => {
    const { inbox, again } = await open();
    const work = vi.fn(async () => "a result");
    expect(await inbox.once(delivery("a", "lane"), work)).toBe("handled");
    for (const each of [inbox, await again()]) {
      expect(await each.once(delivery("a", "lane"), work)).toBe("duplicate");
      expect(await each.once(delivery("a", null), work)).toBe("duplicate");
      expect(await each.add(delivery("a", "lane"))).toBe("handled");
    }
    expect(work).toHaveBeenCalledOnce();
    expect(await inbox.list()).toEqual([]);
    expect(await inbox.take(1, MINUTE)).toEqual([]);
  });

  test("once handles a delivery without a key each time", async () => {
    const { inbox } = await open();
    const work = vi.fn(async () => {});
    for (const lane of [null, null, "lane", "lane"]) {
      expect(await inbox.once(delivery(null, lane), work)).toBe("handled");
    }
    expect(work).toHaveBeenCalledTimes(4);
  });

  test("once remembers a delivery until keepMs have passed", async () => {
    const { inbox, advance } = await open({ keepMs: MINUTE });
    const work = vi.fn(async () => {});
    expect(await inbox.once(delivery("a"), work)).toBe("handled");
    await advance(MINUTE - 10_000);
    expect(await inbox.once(delivery("a"), work)).toBe("duplicate");
    await advance(10_000);
    expect(await inbox.once(delivery("a"), work)).toBe("handled");
    expect(work).toHaveBeenCalledTimes(2);
  });

  test("once rejects with the error of the work and records nothing", async () => {
    const { inbox } = await open();
    const error = new Error("out of order");
    const once = () => inbox.once(delivery("a", "lane"), () => Promise.reject(error));
    await expect(once()).rejects.toBe(error);
    await expect(once()).rejects.toBe(error);
    const thrown = inbox.once(delivery("a", "lane"), () => {
      throw error;
    });
    await expect(thrown).rejects.toBe(error);
    expect(await inbox.once(delivery("a", "lane"), async () => {})).toBe("handled");
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
    const running = inbox.once(first, work);
    await started;
    const late = vi.fn(async () => {});
    expect(await inbox.once(same, late)).toBe("busy");
    expect(await other.once(same, late)).toBe("busy");
    expect(late).not.toHaveBeenCalled();
    expect(await other.once(different, late)).toBe("handled");
    end();
    expect(await running).toBe("handled");
    const isDuplicate = first.key !== null && first.key === same.key;
    expect(await other.once(same, late)).toBe(isDuplicate ? "duplicate" : "handled");
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
        const result = await (handles[n % 2] ?? inbox).once(delivery(`${n % 5}`, "lane"), work);
        counts[result] += 1;
        if (result !== "busy") return;
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => send(n)));
    expect(counts).toMatchObject({ handled: 5, duplicate: 15 });
  });

  test("a delivery that is stored and waiting is busy, as are its lane and a leased lane", async () => {
    const { inbox } = await open();
    await inbox.add(delivery("a", "lane"));
    const work = vi.fn(async () => {});
    for (const lane of ["lane", "other", null]) {
      expect(await inbox.once(delivery("a", lane), work)).toBe("busy");
    }
    expect(await inbox.once(delivery("b", "lane"), work)).toBe("busy");
    const lease = await takeOne(inbox);
    expect(await inbox.once(delivery("b", "lane"), work)).toBe("busy");
    expect(work).not.toHaveBeenCalled();
    await settle(inbox, handled(lease));
    expect(await inbox.once(delivery("a", "lane"), work)).toBe("duplicate");
    expect(await inbox.once(delivery("b", "lane"), work)).toBe("handled");
  });

  test("a delivery in quarantine leaves it when once handles it", async () => {
    const { inbox } = await open();
    await addAll(inbox, [delivery("a", "lane")]);
    await settle(inbox, quarantined(await takeOne(inbox)));
    const failed = inbox.once(delivery("a", "lane"), () => Promise.reject(new Error("no")));
    await expect(failed).rejects.toThrow("no");
    expect(await inbox.list()).toMatchObject([{ state: "quarantined" }]);
    expect(await inbox.once(delivery("a", "lane"), async () => {})).toBe("handled");
    expect(await inbox.list()).toEqual([]);
    expect(await inbox.add(delivery("a", "lane"))).toBe("handled");
  });

  test.skipIf(isSerial)(
    "a delivery added to the lane of a running call is taken after it",
    async () => {
      const { inbox } = await open();
      const { work, started, end } = pausedWork();
      const running = inbox.once(delivery("a", "lane"), work);
      await started;
      expect(await inbox.add(delivery("b", "lane"))).toBe("added");
      expect(await inbox.take(1, MINUTE)).toEqual([]);
      end();
      expect(await running).toBe("handled");
      expect((await takeOne(inbox)).interruptions).toBe(0);
      expect(await drain(inbox)).toEqual([]);
    },
  );

  test.skipIf(isSerial)(
    "a delivery added to the lane of a failing call is taken after it",
    async () => {
      const { inbox } = await open();
      const { work, started, fail } = pausedWork();
      const running = inbox.once(delivery("a", "lane"), work);
      await started;
      await inbox.add(delivery("b", "lane"));
      fail(new Error("no"));
      await expect(running).rejects.toThrow("no");
      expect(await drain(inbox)).toEqual(["b"]);
    },
  );
}
