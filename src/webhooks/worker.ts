import { Abandoned, inTime } from "./attempt.ts";
import type { OrderBy } from "./delivery.ts";
import { type HeldLane, HeldLanes, TRANSACTION_MS } from "./held-lanes.ts";
import type { Inbox } from "./inbox.ts";
import { handleBatch, type Work } from "./lane-batch.ts";
import { createRetryPolicy, type RetryOptions } from "./retries.ts";
import { WAIT_MS } from "./store.ts";

/** How deliveries are handled. Without an inbox, only `orderBy` and `timeoutMs` have an effect. */
export interface WorkOptions extends RetryOptions {
  /**
   * Which deliveries are handled one after another, in order of receipt; default: `resource`, those
   * of one resource. All others are handled in parallel.
   */
  readonly orderBy?: OrderBy;
  /** How many handlers run concurrently; default: 10, or fewer if the inbox allows fewer. */
  readonly concurrency?: number;
  /**
   * When another worker may take over after one ended or stalled, in milliseconds; default: 8,000,
   * so that with a poll each second a stalled worker shows within 10 s. Live workers renew their
   * leases while handlers run.
   */
  readonly leaseMs?: number;
  /**
   * The time limit of a handler, in milliseconds; default: 300,000. Then its signal aborts, and the
   * attempt counts as a failure. If deliveries are acknowledged after they are handled, the time
   * includes that of earlier deliveries of the resource, and a handler that ignores its signal
   * delays the later ones.
   */
  readonly timeoutMs?: number;
  /** How often the inbox is polled, in milliseconds; default: 1,000. */
  readonly pollMs?: number;
}

/** The names of the options. */
export const WORK_OPTIONS = Object.keys({
  orderBy: 0,
  concurrency: 0,
  leaseMs: 0,
  timeoutMs: 0,
  pollMs: 0,
  retryDelaysMs: 0,
  random: 0,
} satisfies Record<keyof WorkOptions, 0>);

/** The defaults of `timeoutMs` and `leaseMs`. */
export const TIMEOUT_MS = 300_000;
export const LEASE_MS = 8000;

/** Handles the deliveries of an inbox until it is closed. */
export interface Worker {
  /** Polls the inbox at once. */
  wake(): void;
  /** What the worker does now; durations in milliseconds. */
  state(): WorkerState;
  /**
   * Stops polling and waits for the running handlers. Deliveries whose handler still runs after
   * `graceMs` are released, due at once.
   */
  close(graceMs: number): Promise<void>;
}

/** What a worker does. Durations are in milliseconds. */
export interface WorkerState {
  /** The time since the inbox was polled with success, or all handlers were busy. */
  readonly sincePollMs: number;
  /** The duration of the transaction that has run the longest; 0 if none runs. */
  readonly longestRunMs: number;
  readonly isClosed: boolean;
}

/**
 * Starts a worker.
 *
 * @throws {TxfeedError} `usage` if a delay is not an integer.
 */
export function startWorker<Tx>(
  inbox: Inbox<Tx>,
  work: Work<Tx>,
  options: WorkOptions = {},
): Worker {
  const { leaseMs = LEASE_MS, timeoutMs = TIMEOUT_MS, pollMs = 1000 } = options;
  const { concurrency: wanted = 10 } = options;
  const concurrency = Math.min(wanted, inbox.maxTransactions ?? wanted);
  const decide = createRetryPolicy(options);
  const lanes = new HeldLanes(inbox, leaseMs);
  const parts = { inbox, lanes, work, decide, timeoutMs, leaseMs, isClosed: () => isClosed };
  /** The transactions that run, and when they were started. */
  const running = new Map<Promise<void>, number>();
  let polledAt = performance.now();
  let takenAt = Number.NEGATIVE_INFINITY;
  let filling: Promise<void> | undefined;
  let isFilling = false;
  let isWoken = false;
  let isClosed = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  const wakeUp = () => {
    isWoken = true;
    if (!isFilling) filling = fill();
  };

  /** While handlers are fast, lanes that come during a transaction wait, to share the next one. */
  const wakeSoon = () => {
    const waitMs = takenAt + TRANSACTION_MS - performance.now();
    if (running.size === 0 || lanes.perTransaction === 1 || waitMs <= 0) return wakeUp();
    waiting ??= setTimeout(() => {
      waiting = undefined;
      wakeUp();
    }, waitMs);
  };

  /** Resolves the promise that the worker awaits. */
  let wake = () => {};

  /** A promise continues in the worker's async context: handlers don't see that of a request. */
  function awaitWake(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    void promise.then(() => {
      awaitWake();
      wakeSoon();
    });
  }

  /** Takes lanes while there are free handlers and lanes. */
  async function fill(): Promise<void> {
    isFilling = true;
    while (isWoken && !isClosed && running.size < concurrency) {
      isWoken = false;
      const limit = (concurrency - running.size) * lanes.perTransaction;
      takenAt = performance.now();
      try {
        const taken = await lanes.take(limit);
        isWoken ||= taken.length === limit;
        polledAt = performance.now();
        start(taken);
      } catch (error) {
        work.report({ outcome: "failed", error }, 0);
      }
    }
    isFilling = false;
  }

  /** Starts transactions for lanes, as many as may run. The other lanes are released. */
  function start(taken: readonly HeldLane[]): void {
    const together = taken.filter(({ isAlone }) => !isAlone);
    const batches = taken.filter(({ isAlone }) => isAlone).map((lane) => [lane]);
    const free = isClosed ? 0 : concurrency - running.size;
    // As few lanes as possible in each, so that they are handled in parallel.
    const size = Math.max(1, Math.ceil(together.length / Math.max(1, free - batches.length)));
    for (let at = 0; at < together.length; at += size) batches.push(together.slice(at, at + size));
    for (const batch of batches.slice(0, free)) run(batch);
    void lanes.release(batches.slice(free).flat());
  }

  function run(batch: readonly HeldLane[]): void {
    const done = handleBatch(batch, parts).then(() => {
      if (running.size >= concurrency) polledAt = performance.now();
      running.delete(done);
      wakeSoon();
    });
    running.set(done, performance.now());
  }

  const poll = setInterval(wakeUp, pollMs);
  awaitWake();
  wakeUp();

  return {
    wake: () => wake(),
    state() {
      const now = performance.now();
      const [startedAt = now] = running.values();
      const sincePollMs = running.size >= concurrency ? 0 : now - polledAt;
      return { sincePollMs, longestRunMs: now - startedAt, isClosed };
    },
    async close(graceMs) {
      isClosed = true;
      clearInterval(poll);
      clearTimeout(waiting);
      const all = () => Promise.all([filling, ...running.keys()]);
      await settledWithin(graceMs, all());
      lanes.abort(new Abandoned("closed", "the receiver was closed"));
      await settledWithin(WAIT_MS, all());
      lanes.close();
    },
  };
}

/** Waits for a promise, but no longer than `waitMs`. */
const settledWithin = (waitMs: number, promise: Promise<unknown>) =>
  inTime(waitMs, promise, () => undefined).catch(() => undefined);
