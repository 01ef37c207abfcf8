import type { Html } from "./html.ts";

/** How much of what the target sent a page may hold: it is to open on a telephone, too. */
export class Allowance {
  #left: number;

  /** @param most In characters. */
  constructor(most: number) {
    this.#left = most;
  }

  /** What was made, where there is still room for it. */
  take(made: Html): Html | undefined {
    if (made.text.length > this.#left) return undefined;
    this.#left -= made.text.length;
    return made;
  }
}
