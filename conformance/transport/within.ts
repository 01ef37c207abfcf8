import { setTimeout as sleep } from "node:timers/promises";

/**
 * Awaits a promise with a timeout.
 *
 * @param signal Also ends the waiting.
 * @returns Rejects after the timeout, as the promise does, or with the signal's reason.
 */
export async function within<T>(ms: number, waited: Promise<T>, signal?: AbortSignal): Promise<T> {
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const limit = sleep(ms, undefined, { signal: either }).then(
    () => Promise.reject(new Error(`it took longer than ${ms / 1_000} s`)),
    () => Promise.reject(signal?.reason),
  );
  // Avoid an unhandled rejection of the promise that loses the race.
  limit.catch(() => {});
  waited.catch(() => {});
  try {
    return await Promise.race([waited, limit]);
  } finally {
    over.abort();
  }
}
