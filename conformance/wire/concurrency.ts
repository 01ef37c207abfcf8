/**
 * Runs tasks one at a time: each task and its microtasks finish before the next one starts. This
 * gives concurrent entries of a run a fixed order, which a replay repeats.
 */
export class FairQueue {
  readonly #waiting: { readonly at: number; readonly begin: () => void }[] = [];

  /**
   * Resolves when the caller may run.
   *
   * @param at Lower values run first; equal values run in the order of the calls.
   */
  take(at = 0): Promise<void> {
    return new Promise((begin) => {
      if (this.#waiting.length === 0) setImmediate(this.#next);
      const before = this.#waiting.findLastIndex((other) => other.at <= at);
      this.#waiting.splice(before + 1, 0, { at, begin });
    });
  }

  readonly #next = (): void => {
    this.#waiting.shift()?.begin();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}

/** Limits the number of concurrent tasks. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
