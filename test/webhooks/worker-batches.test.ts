import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Inbox, Lease } from "../../src/webhooks/inbox.ts";
import { memoryInbox } from "../../src/webhooks/memory-inbox.ts";
import { startWorker } from "../../src/webhooks/worker.ts";
import { onFinished } from "../support/on-finished.ts";
import { delivery } from "./inbox/store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A worker that has learnt that its handlers are fast. The next transactions wait for `open`. */
async function startFastWorker() {
  const memory = memoryInbox();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let isGated = false;
  const counts = { takes: 0, transactions: 0 };
  const inbox: Inbox = {
    ...memory,
    add: (added) => memory.add(added),
    renew: (leases, leaseMs) => memory.renew(leases, leaseMs),
    async take(limit, leaseMs): Promise<readonly Lease[]> {
      counts.takes += 1;
      return memory.take(limit, leaseMs);
    },
    async transaction(work) {
      counts.transactions += 1;
      if (isGated) await opened;
      await memory.transaction(work);
    },
  };
  const work = {
    handle: async () => ({ outcome: "handled" }) as const,
    report: () => undefined,
    interrupted: () => undefined,
  };
  const worker = startWorker(inbox, work);
  onFinished(() => {
    open();
    return worker.close(0);
  });
  let added = 0;
  const add = async () => {
    added += 1;
    await memory.add(delivery(`${added}`, `lane ${added}`));
    worker.wake();
    await vi.advanceTimersByTimeAsync(0);
  };
  for (let n = 0; n < 30; n += 1) await add();
  await vi.advanceTimersByTimeAsync(100);
  isGated = true;
  await add();
  counts.takes = 0;
  counts.transactions = 0;
  return { add, open, counts };
}

test("lanes that come during a fast transaction share the next one", async () => {
  const { add, open, counts } = await startFastWorker();
  for (let n = 0; n < 5; n += 1) await add();
  expect(counts).toEqual({ takes: 0, transactions: 0 });
  open();
  await vi.advanceTimersByTimeAsync(0);
  // The second take finds nothing.
  expect(counts).toEqual({ takes: 2, transactions: 1 });
});

test("a lane waits no longer than 50 ms for a transaction that turns out to be slow", async () => {
  const { add, counts } = await startFastWorker();
  await add();
  await vi.advanceTimersByTimeAsync(50);
  expect(counts).toEqual({ takes: 1, transactions: 1 });
});
