interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the timer, and releases the other signal. Call it in any case. */
  readonly clear: () => void;
}

/**
 * Creates a signal that aborts after some time, or with another signal. It follows both itself: on
 * Node 22.12, garbage collection can stop `AbortSignal.timeout` within `AbortSignal.any`.
 *
 * @param late The reason for the abort after that time.
 */
export function deadline(ms: number, late: () => unknown, signal?: AbortSignal): Deadline {
  const own = new AbortController();
  const timer = setTimeout(() => own.abort(late()), ms);
  const follow = () => own.abort(signal?.reason);
  if (signal?.aborted) follow();
  else signal?.addEventListener("abort", follow);
  // It does not abort `own`: `fetch` would handle that, which costs more than the deadline itself.
  const clear = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", follow);
  };
  return { signal: own.signal, clear };
}
