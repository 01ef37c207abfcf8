import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createReceiver,
  type DeliveryQueue,
  type DeliveryReport,
  type FeedReceiver,
  type ReceiverOptions,
} from "../../src/webhooks/index.ts";
import { type SqliteQueue, sqliteQueue } from "../../src/webhooks/sqlite/index.ts";
import { bodyOf, deliver } from "./delivery.ts";

const updated = bodyOf("transaction.updated");

let queue: SqliteQueue;
const receivers: FeedReceiver[] = [];

beforeEach(() => {
  queue = sqliteQueue({ path: ":memory:" });
});

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close({ graceMs: 0 })));
  queue.close();
});

/** A receiver with a queue, whose clock stands still unless it is moved. */
function queued(handler: () => unknown, options: Partial<ReceiverOptions> = {}) {
  const reports: DeliveryReport[] = [];
  const clock = { now: Date.parse("2025-03-04T12:30:16.120Z") };
  const receiver = createReceiver({
    on: { "transaction.updated": handler },
    queue,
    onDelivery: (report) => reports.push(report),
    now: () => clock.now,
    ...options,
    work: { pollMs: 1, random: () => 1, ...options.work },
  });
  receivers.push(receiver);
  const outcomes = () => reports.map(({ outcome }) => outcome);
  return { receiver, reports, clock, outcomes };
}

const due = () => queue.take(100, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

describe("a receiver with a queue", () => {
  test("answers 202 when a delivery is stored, before it is handled", async () => {
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

  test("handles what it stored without waiting for the next look", async () => {
    const { receiver, outcomes } = queued(() => {}, { work: { pollMs: 1_000_000 } });
    // The look at the start finds nothing.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toEqual(["queued", "handled"]));
  });

  test("stores nothing that breaks the contract", async () => {
    const onQuarantine = vi.fn();
    const { receiver } = queued(() => {}, { onQuarantine });
    expect((await receiver(deliver("transaction.updated", {}))).status).toBe(422);
    expect(onQuarantine).toHaveBeenCalledOnce();
    expect(await due()).toEqual([]);
  });

  test("is 500 where nothing can be stored, so that nothing is lost", async () => {
    const add = () => Promise.reject(new Error("disk full"));
    const take: DeliveryQueue["take"] = async () => [];
    const { receiver, reports } = queued(() => {}, { queue: { ...queue, add, take } });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(500);
    expect(reports[0]).toMatchObject({ outcome: "failed", error: new Error("disk full") });
  });

  test("stores a repeat once while the first waits", async () => {
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

  test("hands an unknown event to the fallback and tells its notice once", async () => {
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

describe("a failure", () => {
  test("is tried again after each delay, then goes to the quarantine", async () => {
    const handler = vi.fn(() => Promise.reject(new Error("out of order")));
    const work = { retryDelaysMs: [1000, 60_000] };
    const { receiver, clock, outcomes } = queued(handler, { work });
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

  test("waits between half of its delay and the whole", async () => {
    const postponed: number[] = [];
    const postpone: DeliveryQueue["postpone"] = async (_delivery, until) => {
      postponed.push(until);
    };
    for (const random of [0, 0.5, 1]) {
      const { receiver, clock, outcomes } = queued(() => Promise.reject(new Error("no")), {
        queue: { ...queue, postpone },
        work: { retryDelaysMs: [1000], random: () => random },
      });
      await receiver(deliver("transaction.updated", { ...updated, metadata: { random } }));
      await vi.waitFor(() => expect(outcomes()).toContain("failed"));
      expect(postponed.pop()).toBe(clock.now + 500 + 500 * random);
    }
  });

  test("that was quarantined is handled when it is replayed", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    const { receiver, outcomes } = queued(handler, { work: { retryDelaysMs: [] } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toContain("quarantined"));
    const [first] = await queue.quarantine.list();
    expect(await queue.quarantine.replay(first?.id ?? 0)).toBe(true);
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    expect(await queue.quarantine.list()).toEqual([]);
  });

  test("may throw anything: it goes to the quarantine, and takes no other with it", async () => {
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
    expect(outcomes().slice(thrown.length)).toEqual(thrown.map(() => "quarantined"));
    expect((await queue.quarantine.list()).map(({ reason }) => reason)).toEqual([
      "undefined",
      "\ufffd",
      "Symbol(out of order)",
      "an error that can't be shown",
      "[object Object]",
    ]);
  });

  test("that ends the process each time ends in the quarantine", async () => {
    const body = JSON.stringify(updated);
    await queue.add({ key: "a", event: "transaction.updated", body, receivedAt: "" });
    // Two processes took it, and neither was heard of again.
    await queue.take(1, 0, 0);
    await queue.take(1, 0, 0);
    const handler = vi.fn();
    const { outcomes } = queued(handler, { work: { retryDelaysMs: [1] } });
    await vi.waitFor(() => expect(outcomes()).toEqual(["quarantined"]));
    expect(handler).not.toHaveBeenCalled();
  });

  test("of what no longer keeps the contract, or is no JSON, is final", async () => {
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

  test("of the queue itself is told, and the work goes on", async () => {
    const take = vi.fn(queue.take).mockRejectedValueOnce(new Error("locked"));
    const { receiver, outcomes, reports } = queued(() => {}, { queue: { ...queue, take } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(outcomes()).toContain("handled"));
    expect(reports[0]).toMatchObject({ event: null, error: new Error("locked") });
  });
});

describe("close", () => {
  test("waits for the handlers that run, and takes nothing more", async () => {
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

  test("waits for what is being taken, and for its handler", async () => {
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

  test("gives back what is not through in time, due at once", async () => {
    const handler = vi.fn(() => new Promise(() => {}));
    const postpone: DeliveryQueue["postpone"] = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await queue.postpone(...args);
    };
    const { receiver, clock } = queued(handler, { queue: { ...queue, postpone } });
    await receiver(deliver("transaction.updated", updated));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    await receiver.close({ graceMs: 1 });
    expect(await queue.take(1, clock.now, clock.now + 1)).toHaveLength(1);
  });

  test("without a queue ends nothing", async () => {
    const receiver = createReceiver({ on: {} });
    await expect(receiver.close()).resolves.toBeUndefined();
  });
});

test("who is alive keeps what it took, however long its handler takes", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handler = vi.fn(() => promise);
  const renewed: number[] = [];
  const postpone: DeliveryQueue["postpone"] = async (delivery, until) => {
    await queue.postpone(delivery, until);
    renewed.push(until);
  };
  const work = { leaseMs: 30 };
  const { receiver, clock, outcomes } = queued(handler, { queue: { ...queue, postpone }, work });
  await receiver(deliver("transaction.updated", updated));
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  for (let lease = 0; lease < 3; lease += 1) {
    clock.now += 29;
    await vi.waitFor(() => expect(renewed.at(-1)).toBe(clock.now + 30));
  }
  expect(await queue.take(1, clock.now, clock.now)).toEqual([]);
  resolve();
  await vi.waitFor(() => expect(outcomes()).toContain("handled"));
});
