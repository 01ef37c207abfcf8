import type { Engine } from "../engine.ts";
import type { DueWork } from "../scheduler.ts";

/** Sends what the outbox holds, and writes down what became of it. */
export class Dispatcher implements DueWork {
  readonly #engine: Engine;
  /** Called when something under way has ended, so that what waited for it can begin. */
  readonly #onEnd: () => void;

  constructor(engine: Engine, onEnd: () => void) {
    this.#engine = engine;
    this.#onEnd = onEnd;
  }

  nextDueMs(): number | undefined {
    return this.#engine.clock.mode ? undefined : 0;
  }

  begin(): void {
    this.#onEnd();
  }

  async settled(): Promise<void> {}
}
