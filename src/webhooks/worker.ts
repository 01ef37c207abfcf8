import type { DeliveryQueue, TakenDelivery } from "./queue.ts";
import { type RetryOptions, retrying, type Tried } from "./retries.ts";
import { checkWholeNumber } from "./whole-number.ts";

/** How a queue is worked off. */
export interface WorkOptions extends RetryOptions {
  /** How many deliveries are handled at a time; 10 unless set. */
  readonly concurrency?: number;
  /**
   * How long what a process had taken when it died waits for another, in milliseconds; 30 s unless
   * set. Who is alive renews it, however long a handler takes.
   */
  readonly leaseMs?: number;
  /** How often it is looked for what is due, in milliseconds; a second unless set. */
  readonly pollMs?: number;
}

/** What is done with what is taken. */
export interface Work {
  /** Handles a delivery. It never rejects. */
  readonly handle: (delivery: TakenDelivery) => Promise<Tried>;
  /** Is told what came of each try; without a delivery, of a queue that could not be asked. */
  readonly report: (tried: Tried, durationMs: number, delivery?: TakenDelivery) => void;
}

/** Works off a queue until it is closed. */
export interface Worker {
  /** Looks for what is due at once. */
  wake(): void;
  /**
   * Takes nothing more and waits for the handlers that run. What is not through after `graceMs`
   * is given back, due at once.
   */
  close(graceMs: number): Promise<void>;
}

interface Run {
  readonly delivery: TakenDelivery;
  readonly through: Promise<void>;
}

/**
 * Starts to work off a queue.
 *
 * @throws TxfeedError `usage` where an option is no whole number, or too small.
 */
export function startWorker(
  queue: DeliveryQueue,
  work: Work,
  now: () => number,
  options: WorkOptions = {},
): Worker {
  const { concurrency = 10, leaseMs = 30_000, pollMs = 1000 } = options;
  for (const [name, value] of Object.entries({ concurrency, leaseMs, pollMs })) {
    checkWholeNumber(`createReceiver: work.${name}`, value);
  }
  const settle = retrying(queue, now, options);
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
        const taken = await queue.take(concurrency - runs.size, now(), now() + leaseMs);
        for (const delivery of taken) start(delivery);
        isWoken ||= taken.length > 0;
      } catch (error) {
        work.report({ outcome: "failed", error }, 0);
      }
    }
    isFilling = false;
  }

  function start(delivery: TakenDelivery): void {
    // This process was too slow to renew it, and took it from itself.
    if (runs.has(delivery.id)) return;
    const through = tryOnce(delivery).then(() => {
      runs.delete(delivery.id);
      wake();
    });
    runs.set(delivery.id, { delivery, through });
  }

  async function tryOnce(delivery: TakenDelivery): Promise<void> {
    const startedAt = performance.now();
    const tried = await settle(delivery, work.handle).catch((error: unknown) => {
      // The queue could not be told, so the delivery is due again when its lease ends.
      return { outcome: "failed" as const, error };
    });
    work.report(tried, performance.now() - startedAt, delivery);
  }

  const poll = setInterval(wake, pollMs);
  const renewal = setInterval(() => {
    // Where it fails, the delivery is handled twice rather than never.
    for (const { delivery } of runs.values()) {
      queue.postpone(delivery, now() + leaseMs).catch(() => {});
    }
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
      const left = [...runs.values()].map(({ delivery }) => queue.postpone(delivery, now()));
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
