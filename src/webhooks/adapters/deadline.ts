/** Lets things take so long and no longer. */
export interface Deadline {
  /** Has `expire` called when the time from now is over; what it returns calls that off. */
  start(expire: () => void): () => void;
}

/**
 * Makes a deadline of one length for many things. They share a timer: one for each costs as much
 * again as reading a body does. It does not keep the process alive.
 */
export function deadlineOf(timeoutMs: number): Deadline {
  /** In the order of their ends, since all take the same time. */
  const running = new Set<{ readonly endMs: number; readonly expire: () => void }>();
  let isTimerSet = false;

  const wait = (delayMs: number) => {
    isTimerSet = true;
    setTimeout(sweep, delayMs).unref();
  };
  const sweep = () => {
    isTimerSet = false;
    const nowMs = performance.now();
    for (const one of running) {
      if (one.endMs > nowMs) return wait(one.endMs - nowMs);
      running.delete(one);
      one.expire();
    }
  };
  return {
    start: (expire) => {
      const one = { endMs: performance.now() + timeoutMs, expire };
      running.add(one);
      if (!isTimerSet) wait(timeoutMs);
      return () => running.delete(one);
    },
  };
}
