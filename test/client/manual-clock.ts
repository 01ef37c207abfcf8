import type { Clock } from "../../src/client/clock.ts";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that only moves when a test advances it. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.now()) {
    this.#now = now;
  }

  /** The number of pending timers. */
  get waiting(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Sets the time without firing timers. */
  set(now: number): void {
    this.#now = now;
  }

  /** Advances the time, and fires the timers that become due. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = end;
  }
}
