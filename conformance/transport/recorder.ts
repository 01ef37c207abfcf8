import type { Entry, Evidence, Recording } from "./evidence.ts";

/** Hands on what a run sees, from its beginning to its end. */
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
    // A delivery may still come while its receiver is stopped.
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
