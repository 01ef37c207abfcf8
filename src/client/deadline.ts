import { type Clock, steadyNow } from "./clock.ts";

/** Why a call or an attempt ended before its answer came. */
export type Interruption = "call" | "attempt" | "aborted";

/** Thrown within a call where it ends early. */
export class Interrupted extends Error {
  readonly ending: Interruption;

  /** @param reason Why, where it is not that time ran out. */
  constructor(ending: Interruption, reason = "") {
    super(reason);
    this.ending = ending;
  }
}

/**
 * A call's time: its deadline, and the caller's signal. A call does one thing after the other, so
 * there is one thing at a time that an end breaks off, and one timer.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #signal: AbortSignal | undefined;
  #ended: Interrupted | undefined;
  #breakOff: ((ended: Interrupted) => void) | undefined;

  constructor(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#endsAt = steadyNow(clock) + timeoutMs;
    this.#signal = signal;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort);
  }

  /** Milliseconds until the deadline. */
  get remainingMs(): number {
    return this.#endsAt - steadyNow(this.#clock);
  }

  /** Throws Ended where the call has ended. */
  check(): void {
    if (this.#ended) throw this.#ended;
  }

  /** Frees the caller's signal. */
  close(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  /**
   * Starts something that an end breaks off.
   *
   * @param start Gets what settles it, and gives what undoes it when it is broken off.
   * @param limitMs How long it may take itself, where that is less than the call may.
   * @returns Resolves or rejects as it is settled; rejects with Ended where time is up first.
   */
  run<T>(
    start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
    limitMs = Infinity,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      const remainingMs = Math.max(0, this.remainingMs);
      const ending = limitMs < remainingMs ? "attempt" : "call";
      const stop = this.#clock.after(Math.min(limitMs, remainingMs), () => {
        breakOff(new Interrupted(ending));
      });
      const settled =
        <Outcome>(settle: (outcome: Outcome) => void) =>
        (outcome: Outcome) => {
          stop();
          settle(outcome);
        };
      const undo = start(settled(resolve), settled(reject));
      const breakOff = settled((ended: Interrupted) => {
        undo();
        reject(ended);
      });
      // What has been settled by then takes no harm.
      this.#breakOff = breakOff;
      // What was started may have aborted the call itself.
      if (this.#ended) breakOff(this.#ended);
    });
  }

  /** Waits for something that goes on without the call, too. */
  wait<T>(promise: Promise<T>): Promise<T> {
    // Where the call has ended, nobody else hears of its failure.
    promise.catch(() => {});
    return this.run((resolve, reject) => {
      promise.then(resolve, reject);
      return () => {};
    });
  }

  /** Waits so many milliseconds: an attempt at nothing. */
  async sleep(ms: number): Promise<void> {
    try {
      await this.run(() => () => {}, ms);
    } catch (error) {
      if (!(error instanceof Interrupted) || error.ending !== "attempt") throw error;
    }
  }

  readonly #onAbort = () => {
    this.#ended = new Interrupted("aborted");
    this.#breakOff?.(this.#ended);
  };
}
