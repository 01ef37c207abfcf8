/**
 * Gives out turns: whoever has one runs, with all that follows from it at once, before the next.
 * So what a run saw at the same time is recorded in an order, and a replay keeps to it.
 */
export class FairQueue {
  readonly #waiting: { readonly at: number; readonly begin: () => void }[] = [];

  /**
   * Resolves when it is one's turn.
   *
   * @param at The lowest is first; of the same, who came first.
   */
  take(at = 0): Promise<void> {
    return new Promise((begin) => {
      if (this.#waiting.length === 0) setImmediate(this.#next);
      const before = this.#waiting.findLastIndex((other) => other.at <= at);
      this.#waiting.splice(before + 1, 0, { at, begin });
    });
  }

  readonly #next = (): void => {
    this.#waiting.shift()?.begin();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
