/** What tells the time and waits; passed in where a test has its own. */
export interface Clock {
  /** Milliseconds since the epoch, by a clock that may be off or be set. */
  now(): number;
  /** Milliseconds since some moment, by a clock that nobody sets: `now` unless there is one. */
  monotonic?(): number;
  /** Runs something once after so many milliseconds, and gives what calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** The clock and the timers of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The time by which to wait: a deadline and a hold mind no clock that is set. */
export function steadyNow(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}

/** The server's clock, as far as its answers tell it. */
export class ServerClock {
  readonly #clock: Clock;
  #offsetMs = 0;
  #lastDate: string | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the epoch by the server's clock. */
  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /**
   * Learns from an answer's `Date` (RFC 9110, 6.6.1): the server wrote it within that second, after
   * the request was sent and before the answer came. What fits between changes nothing.
   *
   * @param date The header; null where the answer has none.
   * @param sentAt When the request was sent, by the local clock.
   */
  learn(date: string | null, sentAt: number): void {
    if (date === null || date === this.#lastDate) return;
    this.#lastDate = date;
    const second = Date.parse(date);
    if (Number.isNaN(second)) return;
    const least = second - this.#clock.now();
    const most = second + 1000 - sentAt;
    this.#offsetMs = Math.max(Math.min(this.#offsetMs, most), Math.min(least, most));
  }
}
