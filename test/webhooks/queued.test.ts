import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import {
  type Claim,
  createReceiver,
  type DeliveryQueue,
  type DeliveryReport,
  type FeedReceiver,
  type ReceiverOptions,
} from "../../src/webhooks/index.ts";
import { type SqliteQueue, sqliteQueue } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";

const updated = make("transaction.updated");

let queue: SqliteQueue;
let clock: { now: number };
const receivers: FeedReceiver[] = [];

beforeEach(() => {
  clock = { now: 1_000_000 };
  queue = sqliteQueue({ path: ":memory:", now: () => clock.now });
});

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close({ graceMs: 0 })));
  queue.close();
});

/** A receiver with a queue and a fake clock. */
function queued(handler: () => unknown, options: Partial<ReceiverOptions> = {}) {
  const reports: DeliveryReport[] = [];
  const receiver = createReceiver({
    on: { "transaction.updated": handler },
    queue,
    onDelivery: (report) => reports.push(report),
    ...options,
    work: { pollMs: 1, random: () => 1, ...options.work },
  });
  receivers.push(receiver);
  const outcomes = () => reports.map(({ outcome }) => outcome);
  return { receiver, reports, outcomes };
}

/** The deliveries left after all delays. */
const due = () => {
  clock.now += 1_000_000_000;
  return queue.take(100, 1);
};

describe("a receiver with a queue", () => {
  test("responds with 202 after storing, before handling", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, outcomes } = queued(handler);
    const response = await receiver(deliver("transaction.updated", updated));
    expect(response.status).toBe(202);
    expect(outcomes()).toEqual(["queued"]);
    resolve();
    await vi.waitFor(() => expect(outcomes()).toEqual(["queued", "handled"]));
    expect(handler).toHaveBeenCalledExactlyOnceWith({ name: "transaction.updated", body: updated });
    expect(await due()).toEqual([]);
  });

  test("handles a stored delivery without waiting for the next poll", async () => {
    const { receiver, outcomes } = queued(() => {}, { work: { pollMs: 1_000_000 } });
    // The first poll finds nothing.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toEqual(["queued", "handled"]));
  });

  test("does not store an invalid delivery", async () => {
    const onQuarantine = vi.fn();
    const { receiver } = queued(() => {}, { onQuarantine });
    expect((await receiver(deliver("transaction.updated", {}))).status).toBe(422);
    expect(onQuarantine).toHaveBeenCalledOnce();
    expect(await due()).toEqual([]);
  });

  test("responds with 500 if the queue fails", async () => {
    const add = () => Promise.reject(new Error("disk full"));
    const take: DeliveryQueue["take"] = async () => [];
    const { receiver, reports } = queued(() => {}, { queue: { ...queue, add, take } });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(500);
    expect(reports[0]).toMatchObject({ outcome: "failed", error: new Error("disk full") });
  });

  test("stores a duplicate once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, outcomes } = queued(handler);
    await receiver(deliver("transaction.updated", updated));
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(202);
    expect(outcomes()).toEqual(["queued", "duplicate"]);
    resolve();
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    expect(handler).toHaveBeenCalledOnce();
  });

  test("passes an unknown event to the fallback, with one notice", async () => {
    const fallback = vi.fn();
    const onFinding = vi.fn();
    const { receiver, outcomes } = queued(() => {}, { fallback, onFinding });
    await receiver(deliver("card.frozen", { id: 1 }));
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    const event = { name: "unknown", receivedName: "card.frozen", body: { id: 1 } };
    expect(fallback).toHaveBeenCalledExactlyOnceWith(event);
    expect(onFinding).toHaveBeenCalledOnce();
  });
});

describe("a failed delivery", () => {
  test("is retried after each delay, then goes to quarantine", async () => {
    const handler = vi.fn(() => Promise.reject(new Error("out of order")));
    const work = { retryDelaysMs: [1000, 60_000] };
    const { receiver, outcomes } = queued(handler, { work });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toEqual(["queued", "failed"]));

    clock.now += 999;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(handler).toHaveBeenCalledTimes(1);
    clock.now += 1;
    await vi.waitFor(() => expect(outcomes()).toEqual(["queued", "failed", "failed"]));

    clock.now += 59_999;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(handler).toHaveBeenCalledTimes(2);
    clock.now += 1;
    await vi.waitFor(() => expect(outcomes().at(-1)).toBe("quarantined"));
    expect(await queue.quarantine.list()).toMatchObject([
      { event: "transaction.updated", attempts: 3, reason: "out of order" },
    ]);
  });

  test("is retried after between half and all of its delay", async () => {
    const delays: number[] = [];
    const retry: DeliveryQueue["retry"] = async (_delivery, delayMs) => {
      delays.push(delayMs);
    };
    for (const random of [0, 0.5, 1]) {
      const { receiver, outcomes } = queued(() => Promise.reject(new Error("no")), {
        queue: { ...queue, retry },
        work: { retryDelaysMs: [1000], random: () => random },
      });
      await receiver(deliver("transaction.updated", { ...updated, metadata: { random } }));
      await vi.waitFor(() => expect(outcomes()).toContain("failed"));
      expect(delays.pop()).toBe(500 + 500 * random);
    }
  });

  test("in quarantine is handled after a replay", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    const { receiver, outcomes } = queued(handler, { work: { retryDelaysMs: [] } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toContain("quarantined"));
    const [first] = await queue.quarantine.list();
    expect(await queue.quarantine.replay(first?.id ?? 0)).toBe(true);
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    expect(await queue.quarantine.list()).toEqual([]);
  });

  test("in quarantine is handled after a redelivery", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    const { receiver, outcomes } = queued(handler, { work: { retryDelaysMs: [] } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toContain("quarantined"));
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(202);
    await vi.waitFor(() => expect(outcomes().at(-1)).toBe("handled"));
    expect(outcomes()).toEqual(["queued", "quarantined", "requeued", "handled"]);
    expect(await queue.quarantine.list()).toEqual([]);
  });

  test("is not one that another process handles", async () => {
    const states: Claim["state"][] = [...Array(20).fill("busy"), "claimed"];
    const claim = (): Claim => {
      const state = states.shift() ?? "done";
      return state === "claimed" ? { state, done() {}, release() {} } : { state };
    };
    const handler = vi.fn();
    const work = { retryDelaysMs: [] };
    const { receiver, outcomes } = queued(handler, { duplicates: { claim }, work });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(
      () => {
        clock.now += 1000;
        expect(outcomes().at(-1)).toBe("handled");
      },
      { interval: 5, timeout: 5000 },
    );
    expect(outcomes()).toEqual(["queued", ...Array(20).fill("busy"), "handled"]);
  });

  test("is not one that close interrupted: it is released", async () => {
    const handler = vi.fn(() => new Promise(() => {}));
    const work = { retryDelaysMs: [] };
    await queued(handler, { work }).receiver(deliver("transaction.updated", updated));
    for (let closed = 0; closed < 30; closed += 1) {
      await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(closed + 1));
      await receivers.pop()?.close({ graceMs: 0 });
      queued(handler, { work });
    }
    await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(31));
    expect(await queue.quarantine.list()).toEqual([]);
  });

  test("is not one whose lease expired while the event loop was blocked", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, outcomes } = queued(handler, { work: { leaseMs: 1_000_000 } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    const take = vi.spyOn(queue, "take");
    clock.now += 1_000_000;
    // The process takes the delivery from itself and continues.
    await vi.waitFor(() => expect(take).toHaveBeenCalled());
    expect(handler).toHaveBeenCalledOnce();
    resolve();
    await vi.waitFor(() => expect(outcomes()).toEqual(["queued", "handled"]));
    expect(await due()).toEqual([]);
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
    const { receiver, outcomes } = queued(handler, { work: { retryDelaysMs: [] } });
    const sends = thrown.map((_, n) =>
      receiver(deliver("transaction.updated", { ...updated, metadata: { n } })),
    );
    await Promise.all(sends);
    await vi.waitFor(() => expect(outcomes()).toHaveLength(2 * thrown.length));
    const isolated = outcomes().filter((outcome) => outcome === "quarantined");
    expect(isolated).toHaveLength(thrown.length);
    expect((await queue.quarantine.list()).map(({ reason }) => reason)).toEqual([
      "undefined",
      "\ufffd",
      "Symbol(out of order)",
      "an error that can't be shown",
      "[object Object]",
    ]);
  });

  test("that ends the process 25 times in a row goes to quarantine", async () => {
    const body = JSON.stringify(updated);
    await queue.add({ key: "a", event: "transaction.updated", body, receivedAt: "" });
    const takeAndEnd = () => queue.take(1, 0);
    for (let end = 0; end < 24; end += 1) await takeAndEnd();
    const handler = vi.fn(() => new Promise(() => {}));
    const first = queued(handler, { work: { leaseMs: 1000, retryDelaysMs: [] } });
    // An interruption does not count as a failure of the handler.
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    await first.receiver.close({ graceMs: 0 });
    await takeAndEnd();
    const second = queued(handler, { work: { retryDelaysMs: [1] } });
    await vi.waitFor(() => expect(second.outcomes()).toEqual(["quarantined"]));
    expect(handler).toHaveBeenCalledOnce();
    expect(await queue.quarantine.list()).toMatchObject([
      { reason: "the process ended 25 times while this delivery was handled" },
    ]);
  });

  test("that is now invalid or not JSON is not retried", async () => {
    const event = "transaction.updated";
    await queue.add({ key: "a", event, body: "{}", receivedAt: "" });
    await queue.add({ key: "b", event, body: "{", receivedAt: "" });
    const onQuarantine = vi.fn();
    const { outcomes } = queued(() => {}, { onQuarantine });
    await vi.waitFor(() => expect(outcomes()).toEqual(["quarantined", "quarantined"]));
    expect(onQuarantine).toHaveBeenCalledOnce();
    expect((await queue.quarantine.list()).map(({ reason }) => reason)).toEqual([
      expect.stringContaining("transaction.updated /id: expected a value"),
      expect.stringContaining("JSON"),
    ]);
  });

  test("does not include a failed poll, which is only reported", async () => {
    const take = vi.fn(queue.take).mockRejectedValueOnce(new Error("locked"));
    const { receiver, outcomes, reports } = queued(() => {}, { queue: { ...queue, take } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    expect(reports[0]).toMatchObject({ event: null, error: new Error("locked") });
  });
});

describe("close", () => {
  test("waits for the running handlers and takes nothing more", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver, outcomes } = queued(handler, { work: { concurrency: 1 } });
    await receiver(deliver("transaction.updated", updated));
    await receiver(deliver("transaction.updated", { ...updated, metadata: {} }));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    const closed = receiver.close();
    resolve();
    await closed;
    expect(outcomes()).toEqual(["queued", "queued", "handled"]);
    expect(await due()).toMatchObject([{ attempt: 1 }]);
  });

  test("waits for deliveries being taken and their handlers", async () => {
    const { promise: mayTake, resolve: letTake } = Promise.withResolvers<void>();
    const take: DeliveryQueue["take"] = async (...args) => {
      await mayTake;
      return queue.take(...args);
    };
    const { receiver, outcomes } = queued(() => {}, { queue: { ...queue, take } });
    await receiver(deliver("transaction.updated", updated));
    const closed = receiver.close();
    letTake();
    await closed;
    expect(outcomes()).toEqual(["queued", "handled"]);
  });

  test("releases unfinished deliveries, due at once", async () => {
    const handler = vi.fn(() => new Promise(() => {}));
    const release: DeliveryQueue["release"] = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await queue.release(...args);
    };
    const { receiver } = queued(handler, { queue: { ...queue, release } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    await receiver.close({ graceMs: 1 });
    expect(await queue.take(1, 1)).toMatchObject([{ failures: 0, interruptions: 0 }]);
  });

  test("does nothing without a queue", async () => {
    const receiver = createReceiver({ on: {} });
    await expect(receiver.close()).resolves.toBeUndefined();
  });
});

test("a live worker keeps its lease while a handler runs", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handler = vi.fn(() => promise);
  const renewed: number[] = [];
  const renew: DeliveryQueue["renew"] = async (delivery, leaseMs) => {
    await queue.renew(delivery, leaseMs);
    renewed.push(clock.now + leaseMs);
  };
  const work = { leaseMs: 30 };
  const { receiver, outcomes } = queued(handler, { queue: { ...queue, renew }, work });
  await receiver(deliver("transaction.updated", updated));
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  for (let lease = 0; lease < 3; lease += 1) {
    clock.now += 29;
    await vi.waitFor(() => expect(renewed.at(-1)).toBe(clock.now + 30));
  }
  expect(await queue.take(1, 0)).toEqual([]);
  resolve();
  await vi.waitFor(() => expect(outcomes()).toContain("handled"));
});
