import { type Clock, steadyNow } from "./clock.ts";

/** Why a call or an attempt ended before its response arrived. */
type Interruption = "call" | "attempt" | "aborted";

/** Thrown inside a call that ends early. */
export class Interrupted extends Error {
  readonly ending: Interruption;

  /** @param reason Replaces the default message about the timeout. */
  constructor(ending: Interruption, reason = "") {
    super(reason);
    this.ending = ending;
  }
}

/**
 * The deadline of a call, and the caller's signal. The steps of a call run in sequence, so there is
 * one interruptible task and one timer at a time.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #signal: AbortSignal | undefined;
  #interrupted: Interrupted | undefined;
  #interrupt: ((interrupted: Interrupted) => void) | undefined;

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

  /** @throws {Interrupted} if the caller's signal is aborted */
  check(): void {
    if (this.#interrupted) throw this.#interrupted;
  }

  /** Removes the listener from the caller's signal. */
  close(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  /**
   * Runs an interruptible task.
   *
   * @param start Starts the task, and returns a function that cancels it.
   * @param limitMs The task's own time limit, in milliseconds.
   * @returns Settles as the task does.
   * @throws {Interrupted} if the time is up first, or the caller's signal is aborted
   */
  run<T>(
    start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
    limitMs = Infinity,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#interrupted) return reject(this.#interrupted);
      const remainingMs = Math.max(0, this.remainingMs);
      const ending = limitMs < remainingMs ? "attempt" : "call";
      const stop = this.#clock.after(Math.min(limitMs, remainingMs), () => {
        interrupt(new Interrupted(ending));
      });
      const settled =
        <Outcome>(settle: (outcome: Outcome) => void) =>
        (outcome: Outcome) => {
          stop();
          settle(outcome);
        };
      const cancel = start(settled(resolve), settled(reject));
      const interrupt = settled((interrupted: Interrupted) => {
        cancel();
        reject(interrupted);
      });
      this.#interrupt = interrupt;
      // `start` may have aborted the call.
      if (this.#interrupted) interrupt(this.#interrupted);
    });
  }

  /** Waits for a promise that continues if the call ends. */
  wait<T>(promise: Promise<T>): Promise<T> {
    // Prevents an unhandled rejection after the call has ended.
    promise.catch(() => {});
    return this.run((resolve, reject) => {
      promise.then(resolve, reject);
      return () => {};
    });
  }

  /** Waits for a time in milliseconds. */
  async sleep(ms: number): Promise<void> {
    try {
      await this.run(() => () => {}, ms);
    } catch (error) {
      if (!(error instanceof Interrupted) || error.ending !== "attempt") throw error;
    }
  }

  readonly #onAbort = () => {
    this.#interrupted = new Interrupted("aborted");
    this.#interrupt?.(this.#interrupted);
  };
}
