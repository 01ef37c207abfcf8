import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { UnreachableError } from "../../src/errors.ts";
import {
  createReceiver,
  type FeedReceiver,
  type HandlerContext,
  type Inbox,
  type OrderBy,
  QuarantineError,
  RetryLaterError,
  type WorkOptions,
} from "../../src/webhooks/index.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../support/on-finished.ts";
import { deliver } from "../support/payloads.ts";
import { delivery, retried, takeOne } from "./inbox/store.ts";
import { openMemory } from "./inbox/stores.ts";
import {
  another,
  endless,
  NAME,
  numberOf,
  type Options,
  startReceiver,
  type Tx,
  until,
  updated,
  version,
} from "./receiving.ts";

let inbox: Inbox<Tx>;
let clock: { now: number };

beforeEach(() => {
  clock = { now: 1_000_000 };
  inbox = memoryInbox({ now: () => clock.now });
});

/** A receiver with the inbox, which it polls all the time. */
function stored(handler: (...args: never[]) => unknown, { work, ...options }: Options = {}) {
  return startReceiver(handler, {
    inbox,
    ...options,
    work: { pollMs: 1, random: () => 1, ...work },
  });
}

/** The inbox, except for some functions. */
function inboxWith(changed: Partial<Inbox<Tx>>): Inbox<Tx> {
  const get = (_: unknown, name: Exclude<keyof Inbox<Tx>, "maxTransactions">) =>
    changed[name] ?? inbox[name]?.bind(inbox);
  return new Proxy(inbox, { get: get as never });
}

/** Adds a delivery to a lane. */
const add = (key: string, lane: string, body: object) =>
  inbox.add(delivery(key, lane, { body: JSON.stringify(body) }));
const times = (count: number) => Array.from({ length: count }, (_, at) => at);
const quarantined = () => inbox.list({ state: "quarantined" });

describe("a receiver with an inbox", () => {
  test("responds with 202 after storing, before handling", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, outcomes } = stored(handler, { work: { pollMs: 1_000_000 } });
    // The first poll finds nothing, and the next one is far.
    await sleep(20);
    for (const _ of [1, 2]) expect((await receiver(deliver(NAME, updated))).status).toBe(202);
    resolve();
    await until(() => expect(outcomes()).toEqual(["stored", "duplicate", "handled"]));
    expect(handler).toHaveBeenCalledOnce();
    expect(await inbox.list()).toEqual([]);
  });

  test("passes an unknown event to the fallback, with one notice", async () => {
    const [fallback, onFinding] = [vi.fn(), vi.fn()];
    const { receiver, count } = stored(() => {}, { fallback, onFinding });
    await receiver(deliver("card.frozen", { id: 1 }));
    await until(() => expect(count("handled")).toBe(1));
    const event = { name: "unknown", receivedName: "card.frozen", body: { id: 1 } };
    expect(fallback).toHaveBeenCalledExactlyOnceWith(event, expect.anything());
    expect(onFinding).toHaveBeenCalledOnce();
  });

  test("gives a handler its context, outside of the request's async context", async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const handler = vi.fn((_event: never, _context: HandlerContext<Tx>) => {
      seen.push(storage.getStore());
    });
    const { receiver } = stored(handler, {
      verify: () => ({ verified: true, deliveryId: "msg_1\0" }),
      now: () => 1_772_541_016_120,
      keepHeaders: ["X-Region"],
    });
    const request = deliver(NAME, updated);
    request.headers.set("x-region", "eu");
    request.headers.set("authorization", "Bearer secret");
    await storage.run("request", () => receiver(request));
    await until(() => expect(seen).toEqual([undefined]));
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      { name: NAME, body: updated },
      {
        deliveryId: "msg_1\ufffd",
        receivedAt: "2026-03-03T12:30:16.120Z",
        attempt: 1,
        headers: { "webhook-event-type": NAME, "x-region": "eu" },
        signal: expect.any(AbortSignal),
        missing: 0,
        tx: expect.any(Function),
      },
    );
  });
});

describe("a failed delivery", () => {
  test.each<[number, Partial<WorkOptions>, delays: number[]]>([
    [0, { retryDelaysMs: [1000, 60_000] }, [0.5, 30]],
    [1, { retryDelaysMs: [1000, 60_000] }, [1, 60]],
    [1, {}, [1, 5, 30, 120, 600, 1800, 7200, 18_000]],
  ])("is retried after its delays, then quarantined: %d, %j", async (random, work, delays) => {
    const handler = vi.fn(() => Promise.reject(new Error("out of order")));
    const { send, outcomes } = stored(handler, { work: { ...work, random: () => random } });
    await send(updated);
    const expected = ["stored", ...delays.map(() => "failed"), "quarantined"];
    for (const [at, delay] of [...delays, 1].entries()) {
      await until(() => expect(outcomes()).toEqual(expected.slice(0, at + 2)));
      clock.now += delay * 1000 - 1;
      await sleep(20);
      expect(handler).toHaveBeenCalledTimes(at + 1);
      clock.now += 1;
    }
    const state = { event: NAME, failures: delays.length + 1, reason: "out of order" };
    expect(await quarantined()).toMatchObject([state]);
  });

  test.each([
    ["at its time", 60_000],
    ["after a second, if its time has passed", -5000],
  ])("with a RetryLaterError is retried %s, without a failure", async (_when, inMs) => {
    const handler = vi.fn(() => {
      if (handler.mock.calls.length > 3) return;
      throw new RetryLaterError("not linked yet", { at: new Date(Date.now() + inMs) });
    });
    const { send, outcomes } = stored(handler, { work: { retryDelaysMs: [] } });
    await send(updated);
    for (const calls of [1, 2, 3]) {
      await until(() => expect(outcomes()).toHaveLength(1 + calls));
      clock.now += Math.max(inMs - 10_000, 900);
      await sleep(20);
      expect(handler).toHaveBeenCalledTimes(calls);
      expect(await inbox.list()).toMatchObject([{ failures: 0 }]);
      clock.now += 10_000;
    }
    await until(() => expect(outcomes().at(-1)).toBe("handled"));
    expect(outcomes()).toEqual(["stored", "postponed", "postponed", "postponed", "handled"]);
  });

  test("in quarantine is handled again after a replay or a redelivery", async () => {
    const handler = vi
      .fn()
      .mockRejectedValueOnce(new QuarantineError("a closed subaccount"))
      .mockRejectedValueOnce(new Error("no"));
    const { send, outcomes } = stored(handler, { work: { retryDelaysMs: [] } });
    await send(updated);
    await until(() => expect(outcomes()).toEqual(["stored", "quarantined"]));
    expect(await quarantined()).toMatchObject([{ reason: "a closed subaccount" }]);
    await inbox.replay({});
    await until(() => expect(outcomes().slice(2)).toEqual(["quarantined"]));
    await send(updated);
    await until(() => expect(outcomes().slice(3)).toEqual(["replayed", "handled"]));
  });

  test("is not one that close interrupted: it is released", async () => {
    const signals: AbortSignal[] = [];
    const handler = (_event: unknown, { signal }: HandlerContext) => {
      signals.push(signal);
      return endless();
    };
    await inbox.add(delivery("a", "a", { body: JSON.stringify(updated) }));
    for (let closed = 0; closed < 30; closed += 1) {
      const { receiver } = stored(handler, { work: { retryDelaysMs: [] } });
      await until(() => expect(signals).toHaveLength(closed + 1));
      await receiver.close({ graceMs: 0 });
    }
    expect(await inbox.list()).toMatchObject([{ state: "waiting", failures: 0 }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual(Array(30).fill(true));
  });

  test("that exceeds its time limit repeats the earlier ones of its transaction once", async () => {
    const calls: number[] = [];
    const { promise: aborted, resolve } = Promise.withResolvers<unknown>();
    const handler = (event: never, { signal }: HandlerContext) => {
      calls.push(numberOf(event));
      if (numberOf(event) === 0) throw new QuarantineError("is broken");
      if (numberOf(event) !== 3) return;
      signal.addEventListener("abort", () => resolve(signal.reason));
      return endless();
    };
    for (const at of times(5)) await add(`${at}`, "lane", version(at));
    const { count, reports } = stored(handler, { work: { timeoutMs: 50, retryDelaysMs: [] } });
    await until(() => expect(calls).toContain(4));
    expect(calls).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 4]);
    const message = "the handler did not end within 50 ms";
    const error = expect.objectContaining({ message });
    expect(await aborted).toEqual(error);
    // The first quarantine was undone, so it is reported as a failure.
    expect(count("quarantined")).toBe(2);
    expect(reports).toContainEqual(expect.objectContaining({ outcome: "failed", error }));
    const reasons = (await quarantined()).map(({ reason }) => reason);
    expect(reasons).toEqual(["is broken", message]);
  });

  test("is one whose lease was lost, and its signal aborts", async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn((_event: unknown, { signal }: HandlerContext) => {
      signal.addEventListener("abort", () => resolve());
      return endless();
    });
    // The next renewal is 300 ms away, so the other worker is first.
    const { send, outcomes } = stored(handler, { work: { leaseMs: 900, pollMs: 1_000_000 } });
    await send(updated);
    await until(() => expect(handler).toHaveBeenCalledOnce());
    clock.now += 900;
    // Another worker takes the lane over.
    expect(await inbox.take(1, 1_000_000)).toMatchObject([{ interruptions: 1 }]);
    await aborted;
    await until(() => expect(outcomes()).toEqual(["stored", "failed"]));
  });

  test("can throw any value, and affects no other delivery", async () => {
    const thrown: [unknown, string][] = [
      [undefined, "undefined"],
      ["\ud800", "\ufffd"],
      [Symbol("out of order"), "Symbol(out of order)"],
      [Object.create(null), "an error that can't be shown"],
      [new Error(`${"x".repeat(999)}\u{1f600}`), `${"x".repeat(999)}\ufffd`],
      [Object.assign(new Error(), { message: { code: 1 } }), "[object Object]"],
    ];
    const handler = (event: never) => {
      throw thrown[numberOf(event)]?.[0];
    };
    const { send, count } = stored(handler, { work: { retryDelaysMs: [] } });
    await send(...thrown.map((_, at) => another(at)));
    await until(() => expect(count("quarantined")).toBe(thrown.length));
    const reasons = (await quarantined()).map(({ reason }) => reason);
    expect(reasons).toEqual(thrown.map(([, reason]) => reason));
  });

  test("that breaks off 25 times in a row goes to quarantine, without a failure before", async () => {
    const crash = async () => {
      await inbox.take(1, 1);
      clock.now += 1;
    };
    await add("a", "a", updated);
    for (const _ of times(24)) await crash();
    const attempts: number[] = [];
    const handler = (_event: unknown, { attempt }: HandlerContext) => {
      attempts.push(attempt);
      return endless();
    };
    const first = stored(handler, { work: { retryDelaysMs: [] } });
    await until(() => expect(attempts).toEqual([25]));
    await first.receiver.close({ graceMs: 0 });
    await crash();
    const { outcomes } = stored(handler);
    await until(() => expect(outcomes()).toEqual(["quarantined"]));
    expect(attempts).toEqual([25]);
    const reason = "handling it broke off 25 times: its process or connection ended";
    expect(await quarantined()).toMatchObject([{ reason }]);
  });

  test("is none whose transaction broke off: it is repeated after a pause", async () => {
    let breaks = 3;
    const transaction: Inbox<Tx>["transaction"] = (leaseMs, work) =>
      inbox.transaction(leaseMs, async (runPart) => {
        const settlements = await work(runPart);
        breaks -= 1;
        if (breaks >= 0) throw new UnreachableError("the connection was cut");
        return settlements;
      });
    const handler = vi.fn();
    const changed = inboxWith({ transaction });
    const { send, outcomes } = stored(handler, { inbox: changed, work: { retryDelaysMs: [] } });
    await send(updated);
    for (const [at, pauseMs] of [1000, 2000, 4000].entries()) {
      await until(() => expect(outcomes()).toHaveLength(at + 2));
      await until(async () =>
        expect(await inbox.list()).toMatchObject([{ failures: 0, reason: /connection was cut/ }]),
      );
      clock.now += pauseMs - 1;
      await sleep(20);
      expect(handler).toHaveBeenCalledTimes(at + 1);
      clock.now += 1;
    }
    await until(() =>
      expect(outcomes()).toEqual(["stored", ...Array(3).fill("failed"), "handled"]),
    );
  });

  test("that is now invalid or not JSON is not retried", async () => {
    await inbox.add(delivery("a", "a", { body: "{}" }));
    await inbox.add(delivery("b", "b", { body: "{" }));
    const onInvalid = vi.fn();
    const { outcomes } = stored(() => {}, { onInvalid });
    await until(() => expect(outcomes()).toEqual(["quarantined", "quarantined"]));
    expect(onInvalid).toHaveBeenCalledOnce();
    expect((await quarantined()).map(({ reason }) => reason)).toEqual([
      expect.stringContaining("transaction.updated /id: expected a value"),
      expect.stringContaining("JSON"),
    ]);
  });
});

describe("deliveries of one resource", () => {
  test("do not delay those of another resource, even if handlers were fast before", async () => {
    const handled: unknown[] = [];
    const { send, count } = stored((event: never) => {
      if (numberOf(event) === 0) return endless();
      handled.push(numberOf(event));
    });
    await send(...times(50).map(() => another(-1)));
    await until(() => expect(count("handled")).toBe(50));
    await send(version(0), version(9), another(1), another(2), another(3));
    await until(() => expect(handled.slice(50).toSorted()).toEqual([1, 2, 3]));
  });

  test("wait for the retry of the first, and see that it is missing in quarantine", async () => {
    const calls: [number, number][] = [];
    const handler = (event: never, { missing }: HandlerContext) => {
      calls.push([numberOf(event), missing]);
      if (numberOf(event) === 0) throw new Error("no");
    };
    const { send, count } = stored(handler, { work: { retryDelaysMs: [1000] } });
    await send(version(0), version(1), version(2));
    await until(() => expect(count("failed")).toBe(1));
    await sleep(20);
    expect(calls).toEqual([[0, 0]]);
    clock.now += 1000;
    await until(() => expect(count("handled")).toBe(2));
    expect(calls.slice(1).join(" ")).toBe("0,0 1,1 2,1");
  });

  test("are left to other workers if the inbox runs fewer transactions", async () => {
    const handler = vi.fn(endless);
    const { send } = stored(handler, { inbox: inboxWith({ maxTransactions: 2 }) });
    await send(...times(5).map(another));
    await until(() => expect(handler).toHaveBeenCalledTimes(2));
    await sleep(20);
    expect(await inbox.take(10, 1000)).toHaveLength(3);
  });

  test.each([
    [undefined, [0, 1]],
    ["resource", [0, 1]],
    ["none", [0, 1, 2]],
    [(): undefined => undefined, [0, 1, 2]],
    [(() => null) as never, [0, 1, 2]],
    [(() => 1) as never, [0]],
    [() => "all", [0]],
    [() => "\0\ud800".repeat(200), [0]],
  ] satisfies [OrderBy | undefined, number[]][])("are ordered by %s", async (orderBy, started) => {
    const calls: unknown[] = [];
    const handler = (event: never) => {
      calls.push(numberOf(event));
      return endless();
    };
    const work = orderBy && { orderBy };
    await stored(handler, { ...(work && { work }) }).send(version(0), another(1), version(2));
    await until(() => expect(calls).toEqual(started));
    await sleep(30);
    expect(calls).toEqual(started);
  });
});

describe("transactions", () => {
  /** Records the bodies that each transaction of the inbox handled. */
  function recordTransactions(commit: (bodies: string[]) => void = () => {}) {
    const transactions: string[][] = [];
    const transaction: Inbox<Tx>["transaction"] = (leaseMs, work) =>
      inbox.transaction(leaseMs, async (runPart) => {
        const settlements = await work(runPart);
        const bodies = settlements.flatMap(({ lease, handled }) =>
          lease.deliveries.filter(({ id }) => handled.includes(id)).map(({ body }) => body),
        );
        commit(bodies);
        transactions.push(bodies);
        return settlements;
      });
    return { transactions, inbox: inboxWith({ transaction }) };
  }

  test("are shared by fast handlers; a failed commit delays only its cause", async () => {
    const { transactions, ...recorded } = recordTransactions((bodies) => {
      if (bodies.some((body) => body.includes('"n":7}'))) throw new Error("a constraint");
    });
    const work = { concurrency: 1, retryDelaysMs: [] };
    const { send, count } = stored(() => {}, { ...recorded, work });
    // The first transactions show that the handlers are fast enough to share one.
    await send(...times(50).map((at) => another(100 + at)));
    await Promise.all(times(20).map((at) => send(another(at))));
    await until(() => expect([count("handled"), count("quarantined")]).toEqual([69, 1]));
    expect(await inbox.list()).toMatchObject([{ state: "quarantined", reason: "a constraint" }]);
    expect(transactions.some(({ length }) => length > 1)).toBe(true);
  });

  test("that break off release their lanes at the same time", async () => {
    let isBroken = false;
    const { inbox: recorded } = recordTransactions(() => {
      if (isBroken) throw new UnreachableError("the connection was cut");
    });
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    const settle = vi.spyOn(inbox, "settle").mockReturnValue(settled);
    const { send, count } = stored(() => {}, { inbox: recorded, work: { concurrency: 1 } });
    await send(...times(50).map((at) => another(100 + at)));
    await until(() => expect(count("handled")).toBe(50));
    isBroken = true;
    await Promise.all(times(5).map((at) => send(another(at))));
    await until(() => expect(settle.mock.calls.length).toBeGreaterThan(1));
    resolve();
  });

  test("of events with slow handlers are not shared", async () => {
    const { transactions, ...recorded } = recordTransactions();
    const fallback = () => sleep(200);
    const addSlow = (at: number) =>
      inbox.add(delivery(`s${at}`, `s${at}`, { event: "slow", body: "{}" }));
    const { send, count } = stored(() => {}, { ...recorded, fallback, work: { concurrency: 1 } });
    for (const at of times(5)) await addSlow(at);
    await send(...times(60).map(another));
    await until(() => expect(count("handled")).toBe(65));
    await Promise.all([send(another(61)), addSlow(6), send(another(62))]);
    await until(() => expect(count("handled")).toBe(68));
    const slow = transactions.filter((bodies) => bodies.includes("{}"));
    expect(slow.map(({ length }) => length)).toEqual(Array(6).fill(1));
  });

  test("have the effects of each delivery once, also after attempts that failed", async () => {
    const { inbox, effects } = await openMemory();
    const handler = async (event: never, { tx, attempt }: HandlerContext<Tx>) => {
      const n = numberOf(event);
      await effects.insert(tx, `${n}`);
      if (attempt > 1) return;
      if (n === 1) throw new Error("too early");
      if (n === 2) await effects.fail(tx);
      if (n === 3) {
        await sleep(60);
        await effects.insert(tx, "after the time limit");
      }
    };
    const work = { timeoutMs: 30, retryDelaysMs: [0, 0, 0] };
    const { send, count } = stored(handler, { inbox, work });
    await send(...times(4).map(another));
    await until(() => expect(count("handled")).toBe(4));
    await sleep(60);
    expect([...(await effects.list())].toSorted()).toEqual(["0", "1", "2", "3"]);
  });

  test("take turns: lanes that were taken and not started keep their place", async () => {
    inbox = memoryInbox();
    const handled: number[] = [];
    const handler = (event: never) => {
      handled.push(numberOf(event));
      for (const end = performance.now() + 2; performance.now() < end; );
    };
    for (const at of times(40)) await add(`a${at}`, `a${at}`, version(1));
    const { count } = stored(handler, { work: { concurrency: 1 } });
    await until(() => expect(count("handled")).toBe(40));
    await Promise.all([
      ...times(300).map((at) => add(`l${at}`, "long", version(1))),
      ...times(3).map((at) => add(`o${at}`, `other ${at}`, version(2))),
    ]);
    await until(() => expect(count("handled")).toBe(343));
    expect(handled.lastIndexOf(2)).toBeLessThan(40 + 150);
  });

  test("of a backlog accumulate no timers", async () => {
    for (const at of times(500)) await add(`${at}`, `${at}`, updated);
    let most = 0;
    const handler = () => {
      const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout");
      most = Math.max(most, timers.length);
    };
    const { count } = stored(handler, { work: { concurrency: 4 } });
    await until(() => expect(count("handled")).toBe(500));
    // Two for each handler, and some of the worker and of the test.
    expect(most).toBeLessThan(25);
  });
});

describe("close", () => {
  test("waits for the running handlers and takes nothing more", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, send, outcomes } = stored(handler, { work: { concurrency: 1 } });
    await send(updated, version(1), another(1));
    await until(() => expect(handler).toHaveBeenCalledOnce());
    const closed = receiver.close();
    resolve();
    await closed;
    expect(outcomes()).toEqual(["stored", "stored", "stored", "handled"]);
    expect(await inbox.take(5, 1)).toMatchObject([{ interruptions: 0 }, { interruptions: 0 }]);
  });

  test("waits 4 s after graceMs for an inbox that does not respond", async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const transaction = vi.fn(() => end);
    const take = vi.fn((limit: number, leaseMs: number) =>
      transaction.mock.calls.length > 0 ? end.then(() => []) : inbox.take(limit, leaseMs),
    );
    const changed = inboxWith({ take, transaction });
    const { receiver, send } = stored(() => {}, { inbox: changed, work: { concurrency: 2 } });
    await send(updated);
    await until(() => expect(transaction).toHaveBeenCalledOnce());
    // The next poll.
    await sleep(20);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onFinished(() => void vi.useRealTimers());
    const closed = vi.fn();
    void receiver.close({ graceMs: 1000 }).then(closed);
    await vi.advanceTimersByTimeAsync(4999);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(closed).toHaveBeenCalledOnce();
    resolve();
  });

  test("releases lanes by one call if the inbox can't be used", async () => {
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    const take = (...args: Parameters<typeof inbox.take>) =>
      mayGoOn.then(() => inbox.take(...args));
    const settle = vi.fn().mockRejectedValue(new UnreachableError("connection refused"));
    const { receiver, send } = stored(() => {}, { inbox: inboxWith({ take, settle }) });
    await send(...times(5).map(another));
    const closed = receiver.close();
    goOn();
    await closed;
    await sleep(20);
    expect(settle.mock.calls).toMatchObject([[{ length: 5 }]]);
  });

  test.each(["take", "transaction"] as const)("releases deliveries in `%s`", async (name) => {
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    const slow = async (...args: never[]) => {
      await mayGoOn;
      return (inbox[name] as (...args: never[]) => unknown)(...args);
    };
    const handler = vi.fn();
    const { receiver, send } = stored(handler, { inbox: inboxWith({ [name]: slow }) });
    await send(updated);
    await sleep(20);
    const closed = receiver.close({ graceMs: 0 });
    await sleep(20);
    goOn();
    await closed;
    expect(handler).not.toHaveBeenCalled();
    await until(async () => expect(await inbox.take(1, 1)).toMatchObject([{ interruptions: 0 }]));
  });
});

describe("a live worker keeps its lease", () => {
  test("while a handler runs", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const renew = vi.spyOn(inbox, "renew");
    const { send, count } = stored(handler, { work: { leaseMs: 30 } });
    await send(updated);
    await until(() => expect(handler).toHaveBeenCalledOnce());
    for (const _ of times(3)) {
      clock.now += 29;
      const calls = renew.mock.calls.length;
      await until(() => expect(renew.mock.calls.length).toBeGreaterThan(calls + 1));
    }
    expect(await inbox.take(1, 1)).toEqual([]);
    resolve();
    await until(() => expect(count("handled")).toBe(1));
  });

  test("if the event loop was blocked for longer than the lease", async () => {
    inbox = memoryInbox();
    const signals: AbortSignal[] = [];
    const handler = async (_event: never, { signal }: HandlerContext) => {
      signals.push(signal);
      await sleep(500);
    };
    // A loaded machine may stop this process for a tenth of a second.
    const { send, outcomes } = stored(handler, { work: { leaseMs: 300 } });
    await send(updated);
    await until(() => expect(signals).toHaveLength(1));
    const end = performance.now() + 600;
    while (performance.now() < end);
    await until(() => expect(outcomes()).toHaveLength(2));
    expect([outcomes(), signals[0]?.aborted]).toEqual([["stored", "handled"], false]);
  });
});

describe("health", () => {
  /** The health of a receiver after some time without any progress. */
  async function healthAfter(receiver: FeedReceiver, timeMs: number) {
    const start = performance.now();
    const now = vi.spyOn(performance, "now").mockImplementation(() => start + timeMs);
    try {
      return await receiver.health();
    } finally {
      now.mockRestore();
    }
  }

  test("of a receiver that works is ok", async () => {
    const { receiver } = stored(() => {});
    const status = await inbox.status();
    expect(await receiver.health()).toEqual({ ok: true, problems: [], inbox: status });
    const without = createReceiver({ on: {} });
    expect(await without.health()).toEqual({ ok: true, problems: [], inbox: null });
    await receiver.close();
    const problems = ["the receiver is closed"];
    expect(await receiver.health()).toMatchObject({ ok: false, problems });
  });

  const fail = () => Promise.reject(new Error("connection refused"));
  test.each([
    ["nothing can be stored", { check: fail }, false, "deliveries can't be stored: connection"],
    ["it can't be read", { status: fail }, true, "the status of the inbox can't be read: connect"],
  ])("shows that %s", async (_what, changed, ok, problem) => {
    const { receiver } = stored(() => {}, { inbox: inboxWith(changed) });
    const problems = [expect.stringContaining(problem)];
    expect(await receiver.health()).toMatchObject({ ok, problems });
  });

  test("waits for an inbox for 5 s", async () => {
    const { receiver } = stored(() => {}, { inbox: inboxWith({ check: endless }) });
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const health = receiver.health();
      await vi.advanceTimersByTimeAsync(5000);
      const problems = ["deliveries can't be stored: no response within 5000 ms"];
      expect(await health).toMatchObject({ ok: false, problems });
    } finally {
      vi.useRealTimers();
    }
  });

  test("is ok if only the first of two checks finds a cut connection", async () => {
    const cut = () => Promise.reject(new UnreachableError("connection reset"));
    const check = vi.fn().mockImplementationOnce(cut);
    const { receiver } = stored(() => {}, { inbox: inboxWith({ check }) });
    expect(await receiver.health()).toMatchObject({ ok: true, problems: [] });
    check.mockImplementation(cut);
    expect(await receiver.health()).toMatchObject({ ok: false });
    expect(check).toHaveBeenCalledTimes(4);
  });

  test("shows a slow handler, also while the worker does not poll", async () => {
    const handler = vi.fn(endless);
    const { receiver, send } = stored(handler, { work: { concurrency: 1 } });
    await send(updated);
    await until(() => expect(handler).toHaveBeenCalledOnce());
    expect(await healthAfter(receiver, 7000)).toMatchObject({ ok: true, problems: [] });
    const problems = ["a handler has run for 9 s"];
    expect(await healthAfter(receiver, 9000)).toMatchObject({ ok: true, problems });
  });

  test("shows a worker whose polls do not end", async () => {
    const { promise: poll, resolve: endPoll } = Promise.withResolvers<[]>();
    const { receiver } = stored(() => {}, { inbox: inboxWith({ take: () => poll }) });
    expect(await healthAfter(receiver, 7000)).toMatchObject({ problems: [] });
    const problems = ["the worker has not read the inbox for 9 s"];
    expect(await healthAfter(receiver, 9000)).toMatchObject({ ok: true, problems });
    endPoll([]);
  });

  test("shows a worker that stalled, and deliveries without a worker", async () => {
    const { health } = createReceiver({ on: {}, inbox, work: false });
    await inbox.add(delivery("a", "a"));
    // Another resource waits for its retry.
    await inbox.settle([retried(await takeOne(inbox), 1_000_000)]);
    await inbox.add(delivery("b", "b"));
    clock.now += 7000;
    expect(await health()).toMatchObject({ ok: true, problems: [] });
    clock.now += 2000;
    const problems = ["deliveries wait for a worker; the first for 9 s"];
    expect(await health()).toMatchObject({ ok: true, problems });
    await takeOne(inbox, 1);
    clock.now += 1;
    const stalled = ["resources whose worker stalled or ended: 1"];
    expect(await health()).toMatchObject({ ok: true, problems: stalled });
  });

  test("asks the inbox once at a time", async () => {
    const status = vi.fn(() => inbox.status());
    const { receiver } = stored(() => {}, { inbox: inboxWith({ status }) });
    await Promise.all([receiver.health(), receiver.health()]);
    expect(status).toHaveBeenCalledTimes(1);
    await receiver.health();
    expect(status).toHaveBeenCalledTimes(2);
  });
});
