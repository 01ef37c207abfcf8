interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the timer, and releases what listens to the signal. Call it in any case. */
  readonly clear: () => void;
}

/**
 * Creates a signal that aborts after some time, or with another signal. It keeps its timer itself:
 * on Node 22.12, garbage collection can stop `AbortSignal.timeout` within `AbortSignal.any`.
 *
 * @param late The reason for the abort after that time.
 */
export function deadline(ms: number, late: () => unknown, signal?: AbortSignal): Deadline {
  const own = new AbortController();
  const timer = setTimeout(() => own.abort(late()), ms);
  const clear = () => {
    clearTimeout(timer);
    own.abort("no longer needed");
  };
  return { signal: AbortSignal.any([own.signal, ...(signal ? [signal] : [])]), clear };
}
