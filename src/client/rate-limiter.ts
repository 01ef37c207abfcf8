import { type Clock, steadyNow } from "./clock.ts";
import { type Deadline, Interrupted } from "./deadline.ts";
import type { Settings } from "./options.ts";
import { jitterMs } from "./retry.ts";

/** Lets so many requests through at once, and none while a 429 asks to wait. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #waiting = new Set<() => void>();
  #free: number;
  #heldUntil = 0;

  constructor({ maxConcurrent, clock, random }: Settings) {
    this.#free = maxConcurrent;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Takes a place, to be given back by {@link release}.
   *
   * @returns undefined where there is one at once, or a promise of it. Rejects with Ended where the
   * call ends first, or is certain to.
   */
  acquire(deadline: Deadline): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return this.#heldUntil === 0 ? undefined : this.#waitOut(deadline);
    }
    return this.#queue(deadline);
  }

  release(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#free += 1;
  }

  /** Holds back every request for so many milliseconds. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, steadyNow(this.#clock) + ms);
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
    if (this.#heldUntil !== 0) await this.#waitOut(deadline);
  }

  /** Waits while requests are held back, with the place taken. */
  async #waitOut(deadline: Deadline): Promise<void> {
    try {
      for (;;) {
        const leftMs = this.#heldUntil - steadyNow(this.#clock);
        if (leftMs <= 0) break;
        if (leftMs > deadline.remainingMs) {
          throw new Interrupted("call", `a 429 asks to wait ${Math.ceil(leftMs)} ms`);
        }
        await deadline.sleep(leftMs + jitterMs(this.#random));
      }
      this.#heldUntil = 0;
    } catch (error) {
      this.release();
      throw error;
    }
  }
}
