import { hasCode } from "../errors.ts";

/** The result of an attempt to handle a delivery. */
export interface AttemptResult {
  readonly outcome:
    | "handled"
    | "ignored"
    | "duplicate"
    | "busy"
    | "failed"
    | "postponed"
    | "quarantined";
  readonly error?: unknown;
}

/** The result of an attempt that ended with an error. */
export function resultOfError(error: unknown): AttemptResult {
  if (hasCode(error, "retry-later")) return { outcome: "postponed", error };
  if (hasCode(error, "quarantine")) return { outcome: "quarantined", error };
  return { outcome: "failed", error };
}

/** Why an attempt was given up while its handler ran. */
export type AbandonCause = "timeout" | "closed" | "lost";

/** The reason of an attempt's signal, and the error of an attempt that was given up. */
export class Abandoned extends Error {
  readonly because: AbandonCause;

  constructor(because: AbandonCause, message: string) {
    super(message);
    this.because = because;
  }
}

/** The error of an attempt that passed its time limit. */
export function timedOut(timeoutMs: number): Abandoned {
  return new Abandoned("timeout", `the handler did not end within ${timeoutMs} ms`);
}

/**
 * Waits for an attempt until its signal aborts. A handler can't be stopped: it may still run when
 * this rejects.
 *
 * @throws the signal's reason, or the error of `running`.
 */
export function untilAborted<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = () => reject(signal.reason);
    if (signal.aborted) abandon();
    signal.addEventListener("abort", abandon, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener("abort", abandon));
  });
}

/**
 * Waits for a promise.
 *
 * @throws the result of `errorOf` after `waitMs`.
 */
export async function inTime<T>(
  waitMs: number,
  promise: Promise<T>,
  errorOf: () => unknown,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(errorOf()), waitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
