import type { Entry, Evidence, Recording } from "./evidence.ts";

/** Passes a run's entries to its recording until the run ends. */
export class Recorder {
  readonly #take: Recording;
  readonly #onFailure: (error: unknown) => void;
  #hasEnded = false;

  /** @param onFailure Called with what `take` throws. */
  constructor(take: Recording = () => {}, onFailure: (error: unknown) => void) {
    this.#take = take;
    this.#onFailure = onFailure;
  }

  readonly record: Recording = (entry: Evidence): void => {
    // A delivery may still arrive while the receiver is being stopped.
    if (this.#hasEnded) return;
    try {
      this.#take(entry);
    } catch (error) {
      this.#onFailure(error);
    }
  };

  end(end: Omit<Entry<"end">, "kind">): void {
    this.record({ kind: "end", ...end });
    this.#hasEnded = true;
  }
}
