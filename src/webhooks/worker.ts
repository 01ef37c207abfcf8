import { assertInteger } from "./assert-integer.ts";
import type { DeliveryQueue, Lease } from "./queue.ts";
import { type AttemptResult, createRetryPolicy, type RetryOptions } from "./retries.ts";

/** How queued deliveries are handled. */
export interface WorkOptions extends RetryOptions {
  /** How many deliveries are handled concurrently; default: 10. */
  readonly concurrency?: number;
  /**
   * When another process may take over after a process ended while handling a delivery, in
   * milliseconds; default: 30,000. Live workers renew their leases while handlers run.
   */
  readonly leaseMs?: number;
  /** How often the queue is polled, in milliseconds; default: 1,000. */
  readonly pollMs?: number;
}

/** The functions that a worker calls for each delivery. */
interface Work {
  /** Handles a delivery. Never rejects. */
  readonly handle: (lease: Lease) => Promise<AttemptResult>;
  /** Reports an attempt; without a lease, a failed poll. */
  readonly report: (result: AttemptResult, durationMs: number, lease?: Lease) => void;
}

/** Handles the deliveries of a queue until it is closed. */
interface Worker {
  /** Polls the queue at once. */
  wake(): void;
  /**
   * Stops polling and waits for the running handlers. Deliveries whose handler still runs after
   * `graceMs` are released, due at once.
   */
  close(graceMs: number): Promise<void>;
}

interface Run {
  /** The latest lease. */
  lease: Lease;
  readonly done: Promise<void>;
}

/** The names of the options. */
export const WORK_OPTIONS = Object.keys({
  concurrency: 0,
  leaseMs: 0,
  pollMs: 0,
  retryDelaysMs: 0,
  random: 0,
} satisfies Record<keyof WorkOptions, 0>);

/**
 * Starts a worker.
 *
 * @throws {TxfeedError} `usage` if an option is not a positive integer.
 */
export function startWorker(queue: DeliveryQueue, work: Work, options: WorkOptions = {}): Worker {
  const { concurrency = 10, leaseMs = 30_000, pollMs = 1000 } = options;
  for (const [name, value] of Object.entries({ concurrency, leaseMs, pollMs })) {
    assertInteger(`createReceiver: work.${name}`, value);
  }
  const retries = createRetryPolicy(queue, options);
  const runs = new Map<number, Run>();
  let filling: Promise<void> | undefined;
  let isFilling = false;
  let isWoken = false;
  let isClosed = false;

  const wake = () => {
    isWoken = true;
    if (!isFilling) filling = fill();
  };

  async function fill(): Promise<void> {
    isFilling = true;
    while (isWoken && !isClosed && runs.size < concurrency) {
      isWoken = false;
      try {
        const leases = await queue.take(concurrency - runs.size, leaseMs);
        for (const lease of leases) start(lease);
        isWoken ||= leases.length > 0;
      } catch (error) {
        work.report({ outcome: "failed", error }, 0);
      }
    }
    isFilling = false;
  }

  function start(lease: Lease): void {
    const running = runs.get(lease.id);
    if (running) {
      // This process renewed its lease too late and took the delivery from itself.
      running.lease = lease;
      return;
    }
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const run: Run = { lease, done };
    runs.set(lease.id, run);
    void attempt(run).then(() => {
      runs.delete(lease.id);
      resolve();
      wake();
    });
  }

  async function attempt(run: Run): Promise<void> {
    const startedAt = performance.now();
    const handled = retries.refusal(run.lease) ?? (await work.handle(run.lease));
    const result = await retries.settle(run.lease, handled).catch((error: unknown) => {
      // The queue could not store the result, so the delivery is due again when its lease expires.
      return { outcome: "failed" as const, error };
    });
    work.report(result, performance.now() - startedAt, run.lease);
  }

  const poll = setInterval(wake, pollMs);
  const renewal = setInterval(() => {
    // If a renewal fails, the delivery is handled twice rather than never.
    for (const { lease } of runs.values()) queue.renew(lease, leaseMs).catch(() => {});
  }, leaseMs / 3);
  wake();

  return {
    wake,
    async close(graceMs) {
      isClosed = true;
      clearInterval(poll);
      await filling;
      await settledWithin(graceMs, Promise.all([...runs.values()].map(({ done }) => done)));
      clearInterval(renewal);
      await Promise.all([...runs.values()].map(({ lease }) => queue.release(lease, 0)));
    },
  };
}

/** Waits for a promise, but no longer than `timeMs`. */
async function settledWithin(timeMs: number, promise: Promise<unknown>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeMs);
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}
