import type { Clock } from "../../src/client/clock.ts";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.now()) {
    this.#now = now;
  }

  /** How many timers have neither gone off nor been called off. */
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

  /** Sets the time, as a person does: no timer hears of it. */
  set(now: number): void {
    this.#now = now;
  }

  /** Lets so many milliseconds pass, and the timers go off that are due by then. */
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
