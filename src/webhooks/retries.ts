import { hasCode, reasonOf } from "../errors.ts";
import { assertDuration } from "../options.ts";
import type { AttemptResult } from "./attempt.ts";
import { type Delivery, storable } from "./delivery.ts";
import type { Settlement } from "./inbox.ts";

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

/** The least delay of a retry without a failure, because it may be repeated for ever. */
const LEAST_DELAY_MS = SECOND;
/** The longest pause after a transaction that broke off. */
const MAX_PAUSE_MS = 5 * SECOND;

/** The longest reason that is stored. */
const MAX_REASON_LENGTH = 1000;

/** What happens to a delivery after an attempt. */
export type Verdict =
  | { readonly next: "done" }
  | { readonly next: "retry"; readonly retry: NonNullable<Settlement["retry"]> }
  | { readonly next: "quarantine"; readonly reason: string };

/** Decides what happens to a delivery after an attempt. */
export type RetryPolicy = (delivery: Delivery, result: AttemptResult) => Verdict;

/**
 * Creates the retry policy of a worker.
 *
 * @throws {TxfeedError} `usage` if a delay is not a whole number of milliseconds.
 */
export function createRetryPolicy({
  retryDelaysMs = RETRY_DELAYS_MS,
  random = Math.random,
}: RetryOptions): RetryPolicy {
  for (const delay of retryDelaysMs) {
    assertDuration("createReceiver: work.retryDelaysMs", delay, 0);
  }
  return ({ id, failures }, { outcome, error }) => {
    if (outcome === "handled" || outcome === "ignored") return { next: "done" };
    const reason = reasonTextOf(error);
    if (outcome === "quarantined") return { next: "quarantine", reason };
    if (hasCode(error, "retry-later")) {
      const delayMs = Math.max(LEAST_DELAY_MS, error.at.getTime() - Date.now());
      return { next: "retry", retry: { id, delayMs, reason, isFailure: false } };
    }
    const longestMs = retryDelaysMs[failures];
    if (longestMs === undefined) return { next: "quarantine", reason };
    const delayMs = Math.round(longestMs * (0.5 + random() / 2));
    return { next: "retry", retry: { id, delayMs, reason, isFailure: true } };
  };
}

/** The reason that is stored with a delivery, in one line. */
function reasonTextOf(error: unknown): string {
  // Cut first: half of a surrogate pair can't be stored.
  return storable(reasonOf(error).slice(0, MAX_REASON_LENGTH));
}

/**
 * What happens to a delivery whose transaction broke off, such as by a lost connection. That is no
 * failure of its handler. It counts as an interruption if the handler had started, because the
 * handler may be the cause.
 */
export function afterBreak(
  { id }: Delivery,
  error: unknown,
  { interruptions, isStarted }: { readonly interruptions: number; readonly isStarted: boolean },
): NonNullable<Settlement["retry"]> {
  const delayMs = Math.min(MAX_PAUSE_MS, LEAST_DELAY_MS * 2 ** interruptions);
  const reason = reasonTextOf(error);
  return { id, delayMs, reason, isFailure: false, isInterruption: isStarted };
}

/** The result for a delivery that must not be attempted again; undefined if it may be. */
export function refusalOf(interruptions: number): AttemptResult | undefined {
  if (interruptions < MAX_INTERRUPTIONS) return undefined;
  const message = `handling it broke off ${interruptions} times: its process or connection ended`;
  return { outcome: "quarantined", error: new Error(message) };
}
