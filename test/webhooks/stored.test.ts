import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import {
  createReceiver,
  type DeliveryReport,
  type FeedReceiver,
  type HandlerContext,
  type Inbox,
  type Lease,
  memoryInbox,
  type NewDelivery,
  type OrderBy,
  QuarantineError,
  type ReceiverOptions,
  RetryLaterError,
} from "../../src/webhooks/index.ts";
import { deliver } from "../support/payloads.ts";

const updated = make("transaction.updated");

let inbox: Inbox;
let clock: { now: number };
const receivers: FeedReceiver[] = [];

beforeEach(() => {
  clock = { now: 1_000_000 };
  inbox = memoryInbox({ now: () => clock.now });
});

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close({ graceMs: 0 })));
});

/** A transaction of its own. */
const another = (n: number) => ({ ...updated, id: crypto.randomUUID(), metadata: { n } });

/** A receiver with an inbox and a fake clock. */
function stored(handler: (...args: never[]) => unknown, options: Partial<ReceiverOptions> = {}) {
  const reports: DeliveryReport[] = [];
  const receiver = createReceiver({
    on: { "transaction.updated": handler as () => unknown },
    inbox,
    onDelivery: (report) => reports.push(report),
    ...options,
    work: { pollMs: 1, random: () => 1, ...options.work },
  });
  receivers.push(receiver);
  const outcomes = () => reports.map(({ outcome }) => outcome);
  return { receiver, reports, outcomes };
}

/** The inbox, except for some functions. */
function inboxWith(changed: Partial<Inbox>): Inbox {
  const get = (_: unknown, name: Exclude<keyof Inbox, "maxTransactions">) =>
    changed[name] ?? inbox[name]?.bind(inbox);
  return new Proxy(inbox, { get: get as never });
}

const delivery: NewDelivery = {
  key: "a",
  lane: "a",
  event: "transaction.updated",
  body: JSON.stringify(updated),
  headers: {},
  deliveryId: null,
  receivedAt: "2026-01-01T00:00:00.000Z",
};

/** The deliveries that are left. */
const left = () => inbox.list();
const quarantined = () => inbox.list({ state: "quarantined" });

describe("a receiver with an inbox", () => {
  test("responds with 202 after storing, before handling", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, outcomes } = stored(handler);
    const response = await receiver(deliver("transaction.updated", updated));
    expect(response.status).toBe(202);
    expect(outcomes()).toEqual(["stored"]);
    resolve();
    await vi.waitFor(() => expect(outcomes()).toEqual(["stored", "handled"]));
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      { name: "transaction.updated", body: updated },
      expect.objectContaining({ attempt: 1 }),
    );
    expect(await left()).toEqual([]);
  });

  test("handles a stored delivery without waiting for the next poll", async () => {
    const { receiver, outcomes } = stored(() => {}, { work: { pollMs: 1_000_000 } });
    // The first poll finds nothing.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toEqual(["stored", "handled"]));
  });

  test("does not store an invalid delivery", async () => {
    const onInvalid = vi.fn();
    const { receiver } = stored(() => {}, { onInvalid });
    expect((await receiver(deliver("transaction.updated", {}))).status).toBe(422);
    expect(onInvalid).toHaveBeenCalledOnce();
    expect(await left()).toEqual([]);
  });

  test("responds with 500 if the inbox fails", async () => {
    const add = () => Promise.reject(new Error("disk full"));
    const { receiver, reports } = stored(() => {}, { inbox: inboxWith({ add }) });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(500);
    expect(reports[0]).toMatchObject({ outcome: "failed", error: new Error("disk full") });
  });

  test("stores a duplicate once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, outcomes } = stored(handler);
    await receiver(deliver("transaction.updated", updated));
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(202);
    expect(outcomes()).toEqual(["stored", "duplicate"]);
    resolve();
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    expect(handler).toHaveBeenCalledOnce();
  });

  test("passes an unknown event to the fallback, with one notice", async () => {
    const fallback = vi.fn();
    const onFinding = vi.fn();
    const { receiver, outcomes } = stored(() => {}, { fallback, onFinding });
    await receiver(deliver("card.frozen", { id: 1 }));
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    const event = { name: "unknown", receivedName: "card.frozen", body: { id: 1 } };
    expect(fallback).toHaveBeenCalledExactlyOnceWith(event, expect.anything());
    expect(onFinding).toHaveBeenCalledOnce();
  });
});

describe("a failed delivery", () => {
  test("is retried after each delay, then goes to quarantine", async () => {
    const handler = vi.fn(() => Promise.reject(new Error("out of order")));
    const work = { retryDelaysMs: [1000, 60_000] };
    const { receiver, outcomes } = stored(handler, { work });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toEqual(["stored", "failed"]));

    clock.now += 999;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(handler).toHaveBeenCalledTimes(1);
    clock.now += 1;
    await vi.waitFor(() => expect(outcomes()).toEqual(["stored", "failed", "failed"]));

    clock.now += 59_999;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(handler).toHaveBeenCalledTimes(2);
    clock.now += 1;
    await vi.waitFor(() => expect(outcomes().at(-1)).toBe("quarantined"));
    expect(await quarantined()).toMatchObject([
      { event: "transaction.updated", failures: 3, reason: "out of order" },
    ]);
  });

  test("is retried after between half and all of its delay", async () => {
    for (const [random, delayMs] of [
      [0, 500],
      [0.5, 750],
      [1, 1000],
    ] as const) {
      const { receiver, outcomes } = stored(() => Promise.reject(new Error("no")), {
        inbox: memoryInbox({ now: () => clock.now }),
        work: { retryDelaysMs: [1000], random: () => random },
      });
      await receiver(deliver("transaction.updated", updated));
      await vi.waitFor(() => expect(outcomes()).toContain("failed"));
      clock.now += delayMs - 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(outcomes()).not.toContain("quarantined");
      clock.now += 1;
      await vi.waitFor(() => expect(outcomes()).toContain("quarantined"));
    }
  });

  test("with a RetryLaterError is retried at its time, without counting as a failure", async () => {
    const at = () => new Date(Date.now() + 60_000);
    const handler = vi.fn(() => {
      if (handler.mock.calls.length < 4) throw new RetryLaterError("not linked yet", { at: at() });
    });
    const { receiver, outcomes } = stored(handler, { work: { retryDelaysMs: [] } });
    await receiver(deliver("transaction.updated", updated));
    for (const calls of [1, 2, 3]) {
      await vi.waitFor(() => expect(outcomes()).toHaveLength(1 + calls));
      clock.now += 50_000;
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(handler).toHaveBeenCalledTimes(calls);
      clock.now += 10_000;
    }
    await vi.waitFor(() => expect(outcomes().at(-1)).toBe("handled"));
    expect(outcomes()).toEqual(["stored", "postponed", "postponed", "postponed", "handled"]);
  });

  test("with a QuarantineError goes to quarantine at once", async () => {
    const { receiver, outcomes } = stored(() => {
      throw new QuarantineError("a closed subaccount");
    });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toEqual(["stored", "quarantined"]));
    expect(await quarantined()).toMatchObject([{ reason: "a closed subaccount" }]);
  });

  test("in quarantine is handled after a replay", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    const { receiver, outcomes } = stored(handler, { work: { retryDelaysMs: [] } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toContain("quarantined"));
    const [first] = await quarantined();
    expect(await inbox.replay({ ids: [first?.id ?? 0] })).toBe(1);
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    expect(await quarantined()).toEqual([]);
  });

  test("in quarantine is handled after a redelivery", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    const { receiver, outcomes } = stored(handler, { work: { retryDelaysMs: [] } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toContain("quarantined"));
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(202);
    await vi.waitFor(() => expect(outcomes().at(-1)).toBe("handled"));
    expect(outcomes()).toEqual(["stored", "quarantined", "replayed", "handled"]);
    expect(await quarantined()).toEqual([]);
  });

  test("is not one that close interrupted: it is released", async () => {
    const handler = vi.fn((_event: unknown, { signal }: HandlerContext) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    const signals: AbortSignal[] = [];
    const work = { retryDelaysMs: [] };
    await stored(handler, { work }).receiver(deliver("transaction.updated", updated));
    for (let closed = 0; closed < 30; closed += 1) {
      await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(closed + 1));
      await receivers.pop()?.close({ graceMs: 0 });
      stored(handler, { work });
    }
    await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(31));
    expect(await quarantined()).toEqual([]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([...Array(30).fill(true), false]);
  });

  test("is one whose handler exceeds its time limit", async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<unknown>();
    const handler = vi.fn((_event: unknown, { signal }: HandlerContext) => {
      signal.addEventListener("abort", () => resolve(signal.reason));
      return new Promise(() => {});
    });
    const work = { timeoutMs: 20, retryDelaysMs: [1000] };
    const { receiver, outcomes, reports } = stored(handler, { work });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toEqual(["stored", "failed"]));
    const error = new Error("the handler did not end within 20 ms");
    expect(reports[1]).toMatchObject({ error });
    expect(await aborted).toMatchObject({ message: error.message });
    clock.now += 1000;
    await vi.waitFor(() => expect(outcomes()).toEqual(["stored", "failed", "quarantined"]));
    expect(await quarantined()).toMatchObject([{ reason: error.message }]);
  });

  test("is one whose lease was lost, and its signal aborts", async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const handler = vi
      .fn((_event: unknown, _context: HandlerContext) => {})
      .mockImplementationOnce((_event, { signal }) => {
        signal.addEventListener("abort", () => resolve());
        return new Promise<void>(() => {});
      });
    const { receiver, outcomes } = stored(handler, { work: { leaseMs: 30, pollMs: 1_000_000 } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    clock.now += 30;
    // Another worker takes the lane over.
    const [lease] = await inbox.take(1, 1_000_000);
    expect(lease?.interruptions).toBe(1);
    await aborted;
    await vi.waitFor(() => expect(outcomes()).toEqual(["stored", "failed"]));
  });

  test("can throw any value, and affects no other delivery", async () => {
    const thrown = [
      undefined,
      "\ud800",
      Symbol("out of order"),
      Object.create(null),
      Object.assign(new Error(), { message: { code: 1 } }),
    ];
    const handler = vi.fn(() => {
      throw thrown[handler.mock.calls.length - 1];
    });
    const { receiver, outcomes } = stored(handler, { work: { retryDelaysMs: [] } });
    for (const [n] of thrown.entries()) await receiver(deliver("transaction.updated", another(n)));
    await vi.waitFor(() => expect(outcomes()).toHaveLength(2 * thrown.length));
    expect(outcomes().filter((outcome) => outcome === "quarantined")).toHaveLength(thrown.length);
    expect((await quarantined()).map(({ reason }) => reason)).toEqual([
      "undefined",
      "\ufffd",
      "Symbol(out of order)",
      "an error that can't be shown",
      "[object Object]",
    ]);
  });

  test("that ends the process 25 times in a row goes to quarantine", async () => {
    await inbox.add(delivery);
    const takeAndEnd = async () => {
      await inbox.take(1, 1);
      clock.now += 1;
    };
    for (let end = 0; end < 24; end += 1) await takeAndEnd();
    const handler = vi.fn(() => new Promise(() => {}));
    const first = stored(handler, { work: { retryDelaysMs: [] } });
    // An interruption does not count as a failure of the handler.
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    await first.receiver.close({ graceMs: 0 });
    await takeAndEnd();
    const second = stored(handler, { work: { retryDelaysMs: [1] } });
    await vi.waitFor(() => expect(second.outcomes()).toEqual(["quarantined"]));
    expect(handler).toHaveBeenCalledOnce();
    expect(await quarantined()).toMatchObject([
      { reason: "the process ended 25 times while this delivery was handled" },
    ]);
  });

  test("that is now invalid or not JSON is not retried", async () => {
    await inbox.add({ ...delivery, key: "a", lane: "a", body: "{}" });
    await inbox.add({ ...delivery, key: "b", lane: "b", body: "{" });
    const onInvalid = vi.fn();
    const { outcomes } = stored(() => {}, { onInvalid });
    await vi.waitFor(() => expect(outcomes()).toEqual(["quarantined", "quarantined"]));
    expect(onInvalid).toHaveBeenCalledOnce();
    expect((await quarantined()).map(({ reason }) => reason)).toEqual([
      expect.stringContaining("transaction.updated /id: expected a value"),
      expect.stringContaining("JSON"),
    ]);
  });

  test("does not include a failed poll, which is only reported", async () => {
    const take = vi.fn(inbox.take.bind(inbox)).mockRejectedValueOnce(new Error("locked"));
    const { receiver, outcomes, reports } = stored(() => {}, { inbox: inboxWith({ take }) });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    expect(reports[0]).toMatchObject({ event: null, error: new Error("locked") });
  });
});

test("a handler does not run in the async context of a request", async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const { receiver, outcomes } = stored(() => seen.push(storage.getStore()), {
    work: { pollMs: 1_000_000 },
  });
  for (const at of [0, 1]) {
    await storage.run(`request ${at}`, () => receiver(deliver("transaction.updated", another(at))));
    await vi.waitFor(() => expect(outcomes()).toHaveLength(2 * at + 2));
  }
  expect(seen).toEqual([undefined, undefined]);
});

describe("deliveries of one resource", () => {
  const version = (at: number) => ({ ...updated, metadata: { n: at } });
  const n = ({ body }: { body: { metadata: { n: number } } }) => body.metadata.n;

  test("are handled one after another, in order of receipt", async () => {
    const log: string[] = [];
    const { receiver } = stored(async (event: never) => {
      log.push(`start ${n(event)}`);
      await new Promise((resolve) => setTimeout(resolve, 5 - n(event)));
      log.push(`end ${n(event)}`);
    });
    for (const at of [0, 1, 2, 3, 4]) {
      await receiver(deliver("transaction.updated", version(at)));
    }
    await vi.waitFor(() => expect(log).toHaveLength(10));
    expect(log).toEqual([0, 1, 2, 3, 4].flatMap((at) => [`start ${at}`, `end ${at}`]));
  });

  test("do not delay those of another resource", async () => {
    const handled: unknown[] = [];
    const { receiver } = stored((event: never) => {
      if (n(event) === 0) return new Promise(() => {});
      handled.push(n(event));
    });
    await receiver(deliver("transaction.updated", version(0)));
    await receiver(deliver("transaction.updated", version(9)));
    for (const at of [1, 2, 3]) await receiver(deliver("transaction.updated", another(at)));
    await vi.waitFor(() => expect(handled).toHaveLength(3));
    expect(handled.toSorted()).toEqual([1, 2, 3]);
  });

  test("wait for the retry of the first, and see that it is missing in quarantine", async () => {
    const calls: [number, number][] = [];
    const { receiver, outcomes } = stored(
      (event: never, { missing }: HandlerContext) => {
        calls.push([n(event), missing]);
        if (n(event) === 0) throw new Error("no");
      },
      { work: { retryDelaysMs: [1000] } },
    );
    for (const at of [0, 1, 2]) await receiver(deliver("transaction.updated", version(at)));
    await vi.waitFor(() => expect(outcomes()).toContain("failed"));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(calls).toEqual([[0, 0]]);
    clock.now += 1000;
    await vi.waitFor(() => expect(outcomes().filter((each) => each === "handled")).toHaveLength(2));
    expect(calls).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
      [2, 1],
    ]);
  });

  test("are left to other workers if the inbox runs fewer transactions", async () => {
    const handler = vi.fn(() => new Promise(() => {}));
    const { receiver } = stored(handler, { inbox: inboxWith({ maxTransactions: 2 }) });
    for (const at of [0, 1, 2, 3, 4]) await receiver(deliver("transaction.updated", another(at)));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(2));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await inbox.take(10, 1000)).toHaveLength(3);
  });

  test.each([
    ["none", [0, 1]],
    [(): undefined => undefined, [0, 1]],
    [(() => null) as never, [0, 1]],
    [(() => 1) as never, [0]],
    [() => "all", [0]],
    [() => "\0\ud800".repeat(200), [0]],
  ] satisfies [OrderBy, number[]][])("are ordered by %s", async (orderBy, started) => {
    const calls: unknown[] = [];
    const { receiver } = stored(
      (event: never) => {
        calls.push(n(event));
        return new Promise(() => {});
      },
      { work: { orderBy } },
    );
    await receiver(deliver("transaction.updated", another(0)));
    await receiver(deliver("transaction.updated", version(1)));
    await vi.waitFor(() => expect(calls).toEqual(started));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(calls).toEqual(started);
  });
});

describe("a transaction", () => {
  /** An inbox whose transactions fail to commit if `isBad` holds for a delivery. */
  const withBadCommits = (isBad: (body: string) => boolean): Inbox =>
    inboxWith({
      transaction: (work) =>
        inbox.transaction(async (runPart) => {
          const settlements = await work(runPart);
          const bad = settlements.some(({ lease, handled }) =>
            lease.deliveries.some(({ id, body }) => handled.includes(id) && isBad(body)),
          );
          if (bad) throw new Error("a deferred constraint");
          return settlements;
        }),
    });

  test("that fails to commit delays only the delivery that causes it", async () => {
    const { receiver, outcomes } = stored(() => {}, {
      inbox: withBadCommits((body) => body.includes('"n":7')),
      work: { concurrency: 1, retryDelaysMs: [] },
    });
    // The first transactions show that the handlers are fast enough to share one.
    for (let at = 100; at < 150; at += 1) {
      await receiver(deliver("transaction.updated", another(at)));
    }
    await Promise.all(
      [...Array(20).keys()].map((at) => receiver(deliver("transaction.updated", another(at)))),
    );
    const count = (outcome: string) => outcomes().filter((each) => each === outcome).length;
    await vi.waitFor(() => expect([count("handled"), count("quarantined")]).toEqual([69, 1]));
    expect(await left()).toMatchObject([{ state: "quarantined", reason: "a deferred constraint" }]);
  });
});

describe("close", () => {
  test("waits for the running handlers and takes nothing more", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, outcomes } = stored(handler, { work: { concurrency: 1 } });
    await receiver(deliver("transaction.updated", updated));
    await receiver(deliver("transaction.updated", { ...updated, metadata: {} }));
    await receiver(deliver("transaction.updated", another(1)));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    const closed = receiver.close();
    resolve();
    await closed;
    expect(outcomes()).toEqual(["stored", "stored", "stored", "handled"]);
    expect(await left()).toHaveLength(2);
    expect(await inbox.take(5, 1)).toMatchObject([{ interruptions: 0 }, { interruptions: 0 }]);
  });

  test("handles or releases deliveries that are being taken", async () => {
    const { promise: mayTake, resolve: letTake } = Promise.withResolvers<void>();
    const take: Inbox["take"] = async (...args) => {
      await mayTake;
      return inbox.take(...args);
    };
    const { receiver } = stored(() => {}, { inbox: inboxWith({ take }) });
    await receiver(deliver("transaction.updated", updated));
    const closed = receiver.close();
    letTake();
    await closed;
    expect(await inbox.take(1, 1)).toMatchObject([{ interruptions: 0 }]);
  });

  test("releases unfinished deliveries, due at once", async () => {
    const handler = vi.fn(() => new Promise(() => {}));
    const { receiver } = stored(handler);
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    await receiver.close({ graceMs: 1 });
    expect(await inbox.take(1, 1)).toMatchObject([
      { interruptions: 0, deliveries: [{ failures: 0 }] },
    ]);
  });

  test("does nothing without an inbox", async () => {
    const receiver = createReceiver({ on: {} });
    await expect(receiver.close()).resolves.toBeUndefined();
  });
});

test("a live worker keeps its lease while a handler runs", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handler = vi.fn(() => promise);
  const renew = vi.spyOn(inbox, "renew");
  const { receiver, outcomes } = stored(handler, { work: { leaseMs: 30 } });
  await receiver(deliver("transaction.updated", updated));
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  for (let lease = 0; lease < 3; lease += 1) {
    clock.now += 29;
    const calls = renew.mock.calls.length;
    await vi.waitFor(() => expect(renew.mock.calls.length).toBeGreaterThan(calls));
  }
  expect(await inbox.take(1, 1)).toEqual([]);
  resolve();
  await vi.waitFor(() => expect(outcomes()).toContain("handled"));
});

test("a receiver with `work: false` stores deliveries for others", async () => {
  const handler = vi.fn();
  const receiver = createReceiver({ on: {}, inbox, work: false });
  receivers.push(receiver);
  expect((await receiver(deliver("transaction.updated", updated))).status).toBe(202);
  stored(handler);
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
});

test("a handler gets a context", async () => {
  const handler = vi.fn();
  const { receiver } = stored(handler, {
    verify: () => ({ verified: true, deliveryId: "msg_1" }),
    now: () => 1_772_541_016_120,
    keepHeaders: ["X-Region"],
  });
  const request = deliver("transaction.updated", updated);
  request.headers.set("x-region", "eu");
  request.headers.set("authorization", "Bearer secret");
  await receiver(request);
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  expect(handler.mock.calls[0]?.[1]).toEqual({
    deliveryId: "msg_1",
    receivedAt: "2026-03-03T12:30:16.120Z",
    attempt: 1,
    headers: { "webhook-event-type": "transaction.updated", "x-region": "eu" },
    signal: expect.any(AbortSignal),
    missing: 0,
    tx: undefined,
  });
});

describe("health", () => {
  test("of a receiver that works is ok", async () => {
    const { receiver } = stored(() => {});
    expect(await receiver.health()).toEqual({
      ok: true,
      problems: [],
      inbox: await inbox.status(),
    });
    expect(await createReceiver({ on: {} }).health()).toEqual({
      ok: true,
      problems: [],
      inbox: null,
    });
  });

  test("is not ok if the inbox does not respond or the receiver is closed", async () => {
    const status = () => Promise.reject(new Error("connection refused"));
    const broken = stored(() => {}, { inbox: inboxWith({ status }) }).receiver;
    const problems = ["the inbox does not respond: connection refused"];
    expect(await broken.health()).toEqual({ ok: false, problems, inbox: null });
    const { receiver } = stored(() => {});
    await receiver.close();
    expect(await receiver.health()).toMatchObject({
      ok: false,
      problems: ["the receiver is closed"],
    });
  });

  test("shows a stalled worker and a slow handler", async () => {
    await inbox.add(delivery);
    await inbox.take(1, 1);
    clock.now += 1;
    const receiver = createReceiver({ on: {}, inbox, work: false });
    const problems = ["resources whose worker stalled or ended: 1"];
    expect(await receiver.health()).toMatchObject({ ok: true, problems });

    const handler = vi.fn(() => new Promise(() => {}));
    const slow = stored(handler, { work: { concurrency: 1 } }).receiver;
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    expect(await healthAfter(slow, 7000)).toMatchObject({ ok: true, problems: [] });
    // A worker whose handlers are all busy does not poll.
    expect(await healthAfter(slow, 9000)).toMatchObject({
      ok: true,
      problems: ["a handler has run for 9 s"],
    });
  });

  test("shows a worker whose polls do not end", async () => {
    const take = () => new Promise<never>(() => {});
    const { receiver } = stored(() => {}, { inbox: inboxWith({ take }) });
    expect(await healthAfter(receiver, 7000)).toMatchObject({ problems: [] });
    expect(await healthAfter(receiver, 9000)).toMatchObject({
      ok: true,
      problems: ["the worker has not read the inbox for 9 s"],
    });
    // Closing waits 5 s for the poll.
    receivers.pop();
  });

  test("shows that no worker takes a due delivery", async () => {
    await inbox.add({ ...delivery, key: "a", lane: "a" });
    const [lease] = await inbox.take(1, 1000);
    // Another resource waits for its retry.
    const retry = { id: 1, delayMs: 1_000_000, reason: "no", isFailure: true };
    const settlement = { lease: lease as Lease, handled: [], quarantined: [], retry };
    await inbox.transaction(async () => [settlement]);
    await inbox.add({ ...delivery, key: "b", lane: "b" });
    const { health } = createReceiver({ on: {}, inbox, work: false });
    clock.now += 7000;
    expect(await health()).toMatchObject({ ok: true, problems: [] });
    clock.now += 2000;
    const problems = ["deliveries wait for a worker; the first for 9 s"];
    expect(await health()).toMatchObject({ ok: true, problems });
    await inbox.take(1, 1000);
    expect(await health()).toMatchObject({ ok: true, problems: [] });
  });

  test("asks the inbox once at a time", async () => {
    const status = vi.fn(() => inbox.status());
    const { receiver } = stored(() => {}, { inbox: inboxWith({ status }) });
    await Promise.all([receiver.health(), receiver.health()]);
    expect(status).toHaveBeenCalledTimes(1);
    await receiver.health();
    expect(status).toHaveBeenCalledTimes(2);
  });

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
});
