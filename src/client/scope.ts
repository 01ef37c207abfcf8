import type { Clock } from "./clock.ts";

/** Why a call or an attempt ended before its answer came. */
export type Ending = "call" | "attempt" | "aborted";

/** Thrown within a call where it ends early. */
export class Ended extends Error {
  readonly ending: Ending;

  constructor(ending: Ending) {
    super(ending);
    this.ending = ending;
  }
}

/**
 * A call's time: its deadline, and the caller's signal. A call does one thing after the other, so
 * there is one thing at a time that an end breaks off.
 */
export class Scope {
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #signal: AbortSignal | undefined;
  readonly #stopTimer: () => void;
  #ended: Ended | undefined;
  #breakOff: ((ended: Ended) => void) | undefined;

  constructor(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#endsAt = clock.now() + timeoutMs;
    this.#signal = signal;
    this.#stopTimer = clock.after(timeoutMs, () => this.#end("call"));
    if (signal?.aborted) this.#end("aborted");
    else signal?.addEventListener("abort", this.#onAbort);
  }

  /** Milliseconds until the deadline. */
  get remainingMs(): number {
    return this.#endsAt - this.#clock.now();
  }

  /** Frees the timer and the caller's signal. */
  close(): void {
    this.#stopTimer();
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  /**
   * Starts something that an end breaks off.
   *
   * @param start Gets what settles it, and gives what undoes it when it is broken off.
   * @returns Resolves or rejects as it is settled; rejects with Ended where the call ends first.
   */
  run<T>(start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void) {
    return new Promise<T>((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      const undo = start(resolve, reject);
      // What has been settled by then takes no harm.
      this.#breakOff = (ended) => {
        undo();
        reject(ended);
      };
    });
  }

  /** Waits for something that goes on without the call, too. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return this.run((resolve, reject) => {
      promise.then(resolve, reject);
      return () => {};
    });
  }

  /** Waits so many milliseconds. */
  sleep(ms: number): Promise<void> {
    return this.run((resolve) => this.#clock.after(ms, resolve));
  }

  readonly #onAbort = () => this.#end("aborted");

  #end(ending: Ending): void {
    if (this.#ended) return;
    this.#ended = new Ended(ending);
    this.#breakOff?.(this.#ended);
  }
}
