import { type Clock, steadyNow } from "./clock.ts";
import { type Deadline, Interrupted } from "./deadline.ts";
import type { Settings } from "./options.ts";
import { jitterMs } from "./retry.ts";

/** Limits concurrent requests, and pauses all requests for the `Retry-After` of a 429. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #waiting = new Set<() => void>();
  #free: number;
  #pausedUntil = 0;

  constructor({ maxConcurrent, clock, random }: Settings) {
    this.#free = maxConcurrent;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Takes a slot, which {@link release} returns.
   *
   * @returns undefined if a slot is free, otherwise a promise that resolves when one is.
   * @throws {Interrupted} if the call ends first, or the pause exceeds its remaining time
   */
  acquire(deadline: Deadline): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return this.#pausedUntil === 0 ? undefined : this.#waitForPause(deadline);
    }
    return this.#queue(deadline);
  }

  release(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#free += 1;
  }

  /** Delays every request by a time in milliseconds. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, steadyNow(this.#clock) + ms);
  }

  async #queue(deadline: Deadline): Promise<void> {
    await deadline.run<void>((resolve) => {
      const acquire = () => {
        this.#waiting.delete(acquire);
        resolve();
      };
      this.#waiting.add(acquire);
      return () => this.#waiting.delete(acquire);
    });
    if (this.#pausedUntil !== 0) await this.#waitForPause(deadline);
  }

  /** Waits until the pause ends. The caller has a slot; it is released on failure. */
  async #waitForPause(deadline: Deadline): Promise<void> {
    try {
      for (;;) {
        const leftMs = this.#pausedUntil - steadyNow(this.#clock);
        if (leftMs <= 0) break;
        if (leftMs > deadline.remainingMs) {
          throw new Interrupted("call", `a 429 asks to wait ${Math.ceil(leftMs)} ms`);
        }
        await deadline.sleep(leftMs + jitterMs(this.#random));
      }
      this.#pausedUntil = 0;
    } catch (error) {
      this.release();
      throw error;
    }
  }
}
