import type { Change } from "../engine.ts";
import { type OrderingKey, releaseNext } from "./ordering.ts";
import type { ReceiverResponse } from "./post.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The delay after each failed attempt, by the sandbox's clock. After the last retry the delivery
 * has failed. A receiver's Retry-After or 410 changes nothing, so that the schedule is predictable.
 */
const RETRY_DELAYS_MS: readonly number[] = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
];

/** Identifies the delivery of an attempt. The row alone may belong to another one by now. */
export interface DeliveryKey {
  readonly seq: number;
  readonly id: string;
}

/** The result of an attempt. */
export interface EndedAttempt extends ReceiverResponse {
  readonly atMs: number;
}

/** The attempts of a round so far, and the rounds to repeat. */
interface Round extends OrderingKey {
  readonly attempts: number;
  readonly repeats: number;
}

/**
 * Records an attempt and updates its delivery. A round ends with a success or after the last
 * retry; a delivery that a fault duplicates begins another round. The attempt is ignored if its
 * delivery was removed meanwhile.
 */
export function recordAttempt(work: Change, key: DeliveryKey, attempt: EndedAttempt): void {
  const { store } = work;
  const round = store.row<Round>(
    `SELECT endpoint_id AS endpointId, lane, attempts, repeats FROM deliveries
     WHERE seq = ? AND id = ? AND state = 'waiting'`,
    ...[key.seq, key.id],
  );
  if (!round) return;
  const { attempts, repeats } = round;
  const { atMs, status, error, durationMs } = attempt;
  store
    .sql(
      `INSERT INTO attempts (delivery_seq, at_ms, status, error, duration_ms)
       VALUES (?, ?, ?, ?, ?)`,
    )
    .run(key.seq, atMs, status, error, durationMs);

  const isSuccess = status !== null && status >= 200 && status < 300;
  const delayMs = RETRY_DELAYS_MS[attempts];
  const wait = store.sql(
    "UPDATE deliveries SET attempts = ?, repeats = ?, due_ms = ?, is_held = 0 WHERE seq = ?",
  );
  if (isSuccess && repeats > 0) {
    wait.run(0, repeats - 1, work.nowMs(), key.seq);
  } else if (!isSuccess && delayMs !== undefined) {
    wait.run(attempts + 1, repeats, work.nowMs() + delayMs, key.seq);
  } else {
    store
      .sql("UPDATE deliveries SET attempts = ?, state = ? WHERE seq = ?")
      .run(attempts + 1, isSuccess ? "delivered" : "failed", key.seq);
    releaseNext(store, round);
  }
}
