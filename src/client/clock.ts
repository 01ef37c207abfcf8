/** A source of time and timers; tests pass their own. */
export interface Clock {
  /** Returns milliseconds since the epoch. The clock may be wrong, or adjusted. */
  now(): number;
  /** Returns milliseconds by a clock that is never adjusted (default: `now`). */
  monotonic?(): number;
  /** Runs a function once after a delay in milliseconds; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The system clock and its timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The time for deadlines and pauses, which adjustments of the clock must not change. */
export function steadyNow(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}

/** The server's clock, estimated from the `Date` headers of its responses. */
export class ServerClock {
  readonly #clock: Clock;
  #offsetMs = 0;
  #lastDate: string | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns milliseconds since the epoch by the server's clock. */
  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /**
   * Updates the offset from a `Date` header. The server generated it within that second, between
   * the request and the response; an offset within these bounds stays.
   *
   * @param date The header; null if the response has none.
   * @param sentAt When the request was sent, in milliseconds by the local clock.
   * @see RFC 9110, section 6.6.1
   */
  learn(date: string | null, sentAt: number): void {
    if (date === null || date === this.#lastDate) return;
    this.#lastDate = date;
    const second = Date.parse(date);
    if (Number.isNaN(second)) return;
    const min = second - this.#clock.now();
    const max = second + 1000 - sentAt;
    this.#offsetMs = Math.max(Math.min(this.#offsetMs, max), Math.min(min, max));
  }
}
