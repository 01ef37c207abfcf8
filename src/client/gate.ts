import { type Clock, steadyNow } from "./clock.ts";
import type { Settings } from "./options.ts";
import { spreadMs } from "./retry.ts";
import { Ended, type Scope } from "./scope.ts";

/** Lets so many requests through at once, and none while a 429 asks to wait. */
export class Gate {
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
   * Takes a place, to be given back by {@link leave}.
   *
   * @returns undefined where there is one at once, or a promise of it. Rejects with Ended where the
   * call ends first, or is certain to.
   */
  enter(scope: Scope): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return this.#heldUntil === 0 ? undefined : this.#waitOut(scope);
    }
    return this.#queue(scope);
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#free += 1;
  }

  /** Holds back every request for so many milliseconds. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, steadyNow(this.#clock) + ms);
  }

  async #queue(scope: Scope): Promise<void> {
    await scope.run<void>((resolve) => {
      const enter = () => {
        this.#waiting.delete(enter);
        resolve();
      };
      this.#waiting.add(enter);
      return () => this.#waiting.delete(enter);
    });
    if (this.#heldUntil !== 0) await this.#waitOut(scope);
  }

  /** Waits while requests are held back, with the place taken. */
  async #waitOut(scope: Scope): Promise<void> {
    try {
      for (;;) {
        const leftMs = this.#heldUntil - steadyNow(this.#clock);
        if (leftMs <= 0) break;
        if (leftMs > scope.remainingMs) {
          throw new Ended("call", `held back by a 429 for another ${Math.ceil(leftMs)} ms`);
        }
        await scope.sleep(leftMs + spreadMs(this.#random));
      }
      this.#heldUntil = 0;
    } catch (error) {
      this.leave();
      throw error;
    }
  }
}
