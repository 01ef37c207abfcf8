import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "./delivery.ts";

/** The deliveries received so far; callers can wait for more. */
export class Inbox {
  readonly #deliveries: Delivery[] = [];
  readonly #waiting = new Set<() => void>();

  add(delivery: Delivery): void {
    this.#deliveries.push(delivery);
    for (const wake of this.#waiting) wake();
  }

  /**
   * Resolves to all deliveries so far, when `isEnough` accepts them, the time is over, or the run
   * is aborted.
   */
  async waitFor(
    isEnough: (deliveries: readonly Delivery[]) => boolean,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<readonly Delivery[]> {
    const over = new AbortController();
    const signals = AbortSignal.any([signal, over.signal]);
    const limit = sleep(patienceMs, undefined, { signal: signals }).catch(() => {});
    let isOver = false;
    limit.then(() => {
      isOver = true;
    });
    while (!isOver && !isEnough(this.#deliveries.slice())) {
      let wake = () => {};
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.#waiting.add(wake);
      await Promise.race([more, limit]);
      this.#waiting.delete(wake);
    }
    over.abort();
    return this.#deliveries.slice();
  }
}
