import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { QuarantineError } from "../../src/errors.ts";
import type { AttemptResult } from "../../src/webhooks/attempt.ts";
import type { Inbox, LeasedDelivery } from "../../src/webhooks/inbox.ts";
import { memoryInbox } from "../../src/webhooks/index.ts";
import type { Attempt } from "../../src/webhooks/lane-batch.ts";
import { startWorker, type WorkOptions } from "../../src/webhooks/worker.ts";
import { onFinished } from "../support/on-finished.ts";
import { addAll, delivery } from "./inbox/store.ts";

/** Starts a worker that is closed after the test, and collects its reports. */
function start(
  inbox: Inbox,
  handle: (attempt: Attempt<undefined>) => unknown,
  options: WorkOptions = {},
) {
  const reports: { outcome: string; key: string | null | undefined }[] = [];
  const worker = startWorker(
    inbox,
    {
      async handle(attempt): Promise<AttemptResult> {
        await handle(attempt);
        return { outcome: "handled" };
      },
      report({ outcome }, _durationMs, about?: LeasedDelivery) {
        reports.push({ outcome, key: about?.key });
      },
      interrupted() {},
    },
    { pollMs: 5, retryDelaysMs: [0], ...options },
  );
  onFinished(() => worker.close(0));
  return { worker, reports };
}

/** Blocks the event loop. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("a worker keeps its lane if the event loop was blocked for longer than the lease", async () => {
  const inbox = memoryInbox();
  await addAll(inbox, [delivery("a", "lane")]);
  const signals: AbortSignal[] = [];
  const { reports } = start(
    inbox,
    async ({ signal }) => {
      signals.push(signal);
      await sleep(100);
    },
    { leaseMs: 60, pollMs: 1 },
  );
  await vi.waitFor(() => expect(signals).toHaveLength(1));

  block(120);
  await vi.waitFor(() => expect(reports).not.toEqual([]));

  expect(reports).toEqual([{ outcome: "handled", key: "a" }]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test("a handler is not started if the worker closed while its transaction began", async () => {
  const inbox = memoryInbox();
  await addAll(inbox, [delivery("a", "lane")]);
  const begin = Promise.withResolvers<void>();
  const transaction = inbox.transaction.bind(inbox);
  inbox.transaction = async (work) => {
    await begin.promise;
    await transaction(work);
  };
  const handle = vi.fn();
  const { worker } = start(inbox, handle);
  await vi.waitFor(async () => expect(await inbox.status()).toMatchObject({ running: 1 }));

  const closed = worker.close(0);
  // The signals abort when the time is over.
  await sleep(10);
  begin.resolve();
  await closed;

  expect(handle).not.toHaveBeenCalled();
  expect(await inbox.status()).toMatchObject({ waiting: 1, running: 0 });
});

describe("a handler that does not end", () => {
  /** Handles some deliveries of a lane; the handler of the fourth one never ends. */
  async function handleSome() {
    const inbox = memoryInbox();
    await addAll(
      inbox,
      ["a", "b", "c", "d", "e"].map((key) => delivery(key, "lane")),
    );
    const handled: (string | null)[] = [];
    const handle = async ({ delivery: { key } }: Attempt<undefined>) => {
      handled.push(key);
      if (key === "a") throw new QuarantineError("is broken");
      if (key === "d") await new Promise(() => {});
    };
    const { reports } = start(inbox, handle, { timeoutMs: 50, retryDelaysMs: [] });
    await vi.waitFor(() => expect(reports).toContainEqual({ outcome: "handled", key: "e" }));
    return { handled, reports };
  }

  test("repeats the earlier deliveries of its transaction once", async () => {
    const { handled } = await handleSome();

    expect(handled.join("")).toBe("abcdabcde");
  });

  test("does not report a quarantine that it undid", async () => {
    const { reports } = await handleSome();

    const ofFirst = reports.filter(({ key }) => key === "a").map(({ outcome }) => outcome);
    expect(ofFirst).toEqual(["failed", "quarantined"]);
  });
});

test("a backlog does not accumulate timers", async () => {
  const inbox = memoryInbox();
  const count = 2000;
  await addAll(
    inbox,
    Array.from({ length: count }, (_, n) => delivery(`${n}`, `lane ${n}`)),
  );
  let most = 0;
  const handle = () => {
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout");
    most = Math.max(most, timers.length);
  };
  const { reports } = start(inbox, handle, { concurrency: 4 });
  await vi.waitFor(() => expect(reports).toHaveLength(count), 10_000);

  // One for each handler, and some of the worker and of the test.
  expect(most).toBeLessThan(20);
});

test("an event whose handlers are slow gets a transaction of its own", async () => {
  const inbox = memoryInbox();
  const transaction = inbox.transaction.bind(inbox);
  const settled: number[][] = [];
  inbox.transaction = (work) =>
    transaction(async (runPart) => {
      const settlements = await work(runPart);
      settled.push(settlements.flatMap(({ handled }) => handled));
      return settlements;
    });
  const event = "banklink.completed";
  const fast = (n: number) => delivery(`fast ${n}`, `fast ${n}`);
  const slow = (n: number) => delivery(`slow ${n}`, `slow ${n}`, { event });
  const fasts = Array.from({ length: 60 }, (_, n) => fast(n));
  const handle = (attempt: Attempt<undefined>) =>
    attempt.delivery.event === event ? sleep(200) : undefined;
  const { worker, reports } = start(inbox, handle, { concurrency: 1 });
  await addAll(inbox, [...Array.from({ length: 5 }, (_, n) => slow(n)), ...fasts]);
  await vi.waitFor(() => expect(reports).toHaveLength(65), 5000);

  await addAll(inbox, [fast(61), slow(6), fast(62)]);
  worker.wake();
  await vi.waitFor(() => expect(reports).toHaveLength(68), 5000);

  const { length } = settled.filter((ids) => ids.length > 1);
  expect(length).toBeGreaterThan(0);
  expect(settled.find((ids) => ids.includes(67))).toEqual([67]);
});
