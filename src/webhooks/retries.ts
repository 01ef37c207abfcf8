import { reasonOf } from "../errors.ts";
import { assertInteger } from "./assert-integer.ts";
import type { HandlingResult } from "./handle.ts";
import type { DeliveryQueue, TakenDelivery } from "./queue.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When what failed is tried again. */
export interface RetryOptions {
  /**
   * How long a delivery waits after each failure, in milliseconds; after one more failure it goes
   * to the quarantine. Default: 1 s, 5 s, 30 s, 2 min, 10 min, 30 min, 2 h and 5 h. The wait is
   * random between half of the delay and all of it, so that deliveries that failed together are not
   * retried together.
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
 * How often in a row a process may end while it handles a delivery. Kills and deployments interrupt
 * deliveries that are fine, so this is many; a delivery that crashes the process has to end too.
 */
const MAX_INTERRUPTIONS = 25;

/** How long a delivery waits that is being handled from elsewhere. */
const BUSY_DELAY_MS = SECOND;

/** The result of a try; `quarantined` if no other can help. */
export type AttemptResult =
  | HandlingResult
  | { readonly outcome: "quarantined"; readonly error: unknown };

/** Decides what happens to deliveries of a queue. */
export interface RetryPolicy {
  /** Why a delivery must not be tried again; undefined if it may be. */
  readonly refusal: (delivery: TakenDelivery) => AttemptResult | undefined;
  /**
   * Finishes a delivery, has it tried again or moves it to the quarantine.
   *
   * @returns what happened. Rejects if the queue can't store it.
   */
  readonly settle: (delivery: TakenDelivery, tried: AttemptResult) => Promise<AttemptResult>;
}

/** Makes what decides about deliveries of a queue. */
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
    async settle(delivery, tried) {
      if (tried.outcome === "busy") {
        await queue.release(delivery, BUSY_DELAY_MS);
        return tried;
      }
      if (tried.outcome !== "failed" && tried.outcome !== "quarantined") {
        await queue.finish(delivery);
        return tried;
      }
      const delayMs = retryDelaysMs[delivery.failures];
      if (tried.outcome === "quarantined" || delayMs === undefined) {
        await queue.isolate(delivery, reasonOf(tried.error));
        return { outcome: "quarantined", error: tried.error };
      }
      await queue.retry(delivery, Math.round(delayMs * (0.5 + random() / 2)));
      return tried;
    },
  };
}
