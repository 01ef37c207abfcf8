import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits for something no longer than a time.
 *
 * @param signal Ends the waiting too.
 * @returns Rejects where it took longer, as what is waited for does, or with the signal's reason.
 */
export async function within<T>(ms: number, waited: Promise<T>, signal?: AbortSignal): Promise<T> {
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const limit = sleep(ms, undefined, { signal: either }).then(
    () => Promise.reject(new Error(`it took longer than ${ms / 1_000} s`)),
    () => Promise.reject(signal?.reason),
  );
  // Whichever comes second is of no interest.
  limit.catch(() => {});
  waited.catch(() => {});
  try {
    return await Promise.race([waited, limit]);
  } finally {
    over.abort();
  }
}
