import { reasonOf } from "../errors.ts";
import { assertInteger } from "./assert-integer.ts";
import type { HandlingResult } from "./handlers.ts";
import type { DeliveryQueue, Lease } from "./queue.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When failed deliveries are retried. */
export interface RetryOptions {
  /**
   * The delay after each failure, in milliseconds; after one more failure a delivery goes to
   * quarantine. Default: 1 s, 5 s, 30 s, 2 min, 10 min, 30 min, 2 h and 5 h. Delays are randomized
   * between half and all of it, so that deliveries that failed together are not retried together.
   */
  readonly retryDelaysMs?: readonly number[];
  /** Returns a random number from 0 to 1. */
  readonly random?: () => number;
}

const RETRY_DELAYS_MS = [
  ...[1, 5, 30].map((count) => count * SECOND),
  ...[2, 10, 30].map((count) => count * MINUTE),
  ...[2, 5].map((count) => count * HOUR),
];

/**
 * The limit of interrupted attempts in a row. Deployments interrupt deliveries that are fine, so it
 * is high. A delivery that crashes the process never counts as a failure, so it needs this limit.
 */
const MAX_INTERRUPTIONS = 25;

/** The delay of a delivery that is being handled elsewhere. */
const BUSY_DELAY_MS = SECOND;

/** The result of an attempt; `quarantined` if a retry can't succeed. */
export type AttemptResult =
  | HandlingResult
  | { readonly outcome: "quarantined"; readonly error: unknown };

/** Decides what happens to a delivery after an attempt. */
interface RetryPolicy {
  /** The result for a delivery that must not be attempted again; undefined if it may be. */
  readonly refusal: (lease: Lease) => AttemptResult | undefined;
  /**
   * Finishes a delivery, schedules a retry or moves it to quarantine.
   *
   * @returns the result to report. Rejects if the queue can't store it.
   */
  readonly settle: (lease: Lease, result: AttemptResult) => Promise<AttemptResult>;
}

/**
 * Creates the retry policy of a queue.
 *
 * @throws {TxfeedError} `usage` if a delay is not a whole number of milliseconds.
 */
export function createRetryPolicy(
  queue: DeliveryQueue,
  { retryDelaysMs = RETRY_DELAYS_MS, random = Math.random }: RetryOptions,
): RetryPolicy {
  for (const delay of retryDelaysMs) {
    assertInteger("createReceiver: work.retryDelaysMs", delay, 0);
  }
  return {
    refusal({ interruptions }) {
      if (interruptions < MAX_INTERRUPTIONS) return undefined;
      const message = `the process ended ${interruptions} times while this delivery was handled`;
      return { outcome: "quarantined", error: new Error(message) };
    },
    async settle(lease, result) {
      if (result.outcome === "busy") {
        await queue.release(lease, BUSY_DELAY_MS);
        return result;
      }
      if (result.outcome !== "failed" && result.outcome !== "quarantined") {
        await queue.finish(lease);
        return result;
      }
      const delayMs = retryDelaysMs[lease.failures];
      if (result.outcome === "quarantined" || delayMs === undefined) {
        await queue.isolate(lease, reasonOf(result.error));
        return { outcome: "quarantined", error: result.error };
      }
      await queue.retry(lease, Math.round(delayMs * (0.5 + random() / 2)));
      return result;
    },
  };
}
