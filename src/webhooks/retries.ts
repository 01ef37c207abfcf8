import { reasonOf } from "../errors.ts";
import type { Ending } from "./handle.ts";
import type { DeliveryQueue, TakenDelivery } from "./queue.ts";
import { checkWholeNumber } from "./whole-number.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When what failed is tried again. */
export interface RetryOptions {
  /**
   * How long a delivery waits after each failure, in milliseconds; after one more it goes to the
   * quarantine. 1 s, 5 s, 30 s, 2 min, 10 min, 30 min, 2 h and 5 h unless set. The wait is drawn
   * between half of it and the whole, so that what failed together does not come back together.
   */
  readonly retryDelaysMs?: readonly number[];
  /** Draws a number of 0 to 1. */
  readonly random?: () => number;
}

const RETRY_DELAYS_MS = [
  ...[1, 5, 30].map((count) => count * SECOND),
  ...[2, 10, 30].map((count) => count * MINUTE),
  ...[2, 5].map((count) => count * HOUR),
];

/** What came of a try; `quarantined` where no other can help. */
export type Tried = Ending | { readonly outcome: "quarantined"; readonly error: unknown };

/** Tries a delivery and tells the queue what came of it. Rejects where the queue can't be told. */
export type Settle = (
  delivery: TakenDelivery,
  handle: (delivery: TakenDelivery) => Promise<Tried>,
) => Promise<Tried>;

/** Makes what tries deliveries of a queue: through, once more later, or to the quarantine. */
export function retrying(
  queue: DeliveryQueue,
  now: () => number,
  { retryDelaysMs = RETRY_DELAYS_MS, random = Math.random }: RetryOptions,
): Settle {
  for (const delay of retryDelaysMs) {
    checkWholeNumber("createReceiver: work.retryDelaysMs", delay, 0);
  }
  const isolate = async (delivery: TakenDelivery, error: unknown): Promise<Tried> => {
    await queue.isolate(delivery, reasonOf(error));
    return { outcome: "quarantined", error };
  };
  return async (delivery, handle) => {
    // What ends the process each time never gets as far as to fail, and has to end somewhere too;
    // so does what another claims each time, as a process may that ended just now.
    if (delivery.attempt > retryDelaysMs.length + 1) {
      return isolate(
        delivery,
        new Error("no try came to an end: the process ended, or another had it"),
      );
    }
    const tried = await handle(delivery);
    const isLast = delivery.attempt > retryDelaysMs.length;
    if (tried.outcome === "quarantined" || (tried.outcome === "failed" && isLast)) {
      return isolate(delivery, tried.error);
    }
    if (tried.outcome === "failed" || tried.outcome === "busy") {
      const delayMs = retryDelaysMs.at(isLast ? -1 : delivery.attempt - 1) ?? SECOND;
      await queue.postpone(delivery, now() + Math.round(delayMs * (0.5 + random() / 2)));
      return tried;
    }
    await queue.finish(delivery);
    return tried;
  };
}
