import { assertInteger } from "./assert-integer.ts";
import type { DeliveryQueue, TakenDelivery } from "./queue.ts";
import { type AttemptResult, createRetryPolicy, type RetryOptions } from "./retries.ts";

/** How a queue is worked off. */
export interface WorkOptions extends RetryOptions {
  /** How many deliveries are handled at a time; default: 10. */
  readonly concurrency?: number;
  /**
   * How long a delivery waits for another process after the one that handled it ended, in
   * milliseconds; default: 30,000. Live workers renew their leases while handlers run.
   */
  readonly leaseMs?: number;
  /** How often the queue is asked for due deliveries, in milliseconds; default: 1,000. */
  readonly pollMs?: number;
}

/** What is done with what is taken. */
export interface Work {
  /** Handles a delivery. It never rejects. */
  readonly handle: (delivery: TakenDelivery) => Promise<AttemptResult>;
  /** Is told what came of each try; without a delivery, of a queue that could not be asked. */
  readonly report: (tried: AttemptResult, durationMs: number, delivery?: TakenDelivery) => void;
}

/** Works off a queue until it is closed. */
export interface Worker {
  /** Looks for what is due at once. */
  wake(): void;
  /**
   * Takes nothing more and waits for the running handlers. Deliveries whose handler still runs
   * after `graceMs` are given back, due at once.
   */
  close(graceMs: number): Promise<void>;
}

interface Run {
  /** As it was taken last. */
  delivery: TakenDelivery;
  readonly through: Promise<void>;
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
 * Starts to work off a queue.
 *
 * @throws {TxfeedError} `usage` if an option is not a whole number, or too small.
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
        const taken = await queue.take(concurrency - runs.size, leaseMs);
        for (const delivery of taken) start(delivery);
        isWoken ||= taken.length > 0;
      } catch (error) {
        work.report({ outcome: "failed", error }, 0);
      }
    }
    isFilling = false;
  }

  function start(delivery: TakenDelivery): void {
    const running = runs.get(delivery.id);
    if (running) {
      // This process was too slow to renew its lease, and took the delivery from itself.
      running.delivery = delivery;
      return;
    }
    const { promise: through, resolve } = Promise.withResolvers<void>();
    const run: Run = { delivery, through };
    runs.set(delivery.id, run);
    void tryOnce(run).then(() => {
      runs.delete(delivery.id);
      resolve();
      wake();
    });
  }

  async function tryOnce(run: Run): Promise<void> {
    const startedAt = performance.now();
    const handled = retries.refusal(run.delivery) ?? (await work.handle(run.delivery));
    const tried = await retries.settle(run.delivery, handled).catch((error: unknown) => {
      // The queue could not store the result, so the delivery is due again when its lease ends.
      return { outcome: "failed" as const, error };
    });
    work.report(tried, performance.now() - startedAt, run.delivery);
  }

  const poll = setInterval(wake, pollMs);
  const renewal = setInterval(() => {
    // If it fails, the delivery is handled twice rather than never.
    for (const { delivery } of runs.values()) queue.renew(delivery, leaseMs).catch(() => {});
  }, leaseMs / 3);
  wake();

  return {
    wake,
    async close(graceMs) {
      isClosed = true;
      clearInterval(poll);
      await filling;
      await within(graceMs, Promise.all([...runs.values()].map(({ through }) => through)));
      clearInterval(renewal);
      const left = [...runs.values()].map(({ delivery }) => queue.release(delivery, 0));
      await Promise.all(left);
    },
  };
}

/** Waits until something is over, or the time is. */
async function within(timeMs: number, over: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeMs);
  await Promise.race([over, promise]);
  clearTimeout(timer);
}
