import type { Html } from "./html.ts";

/** Minimum size of a part. With less left, no part is rendered. */
const LEAST = 500;

/** Limits the amount of target data on a page, so that it opens on a phone. */
export class PageBudget {
  #left: number;

  /** @param most In characters of HTML. */
  constructor(most: number) {
    this.#left = most;
  }

  /** Renders a part; returns undefined if it does not fit. */
  take(make: () => Html): Html | undefined {
    if (this.#left < LEAST) return undefined;
    const made = make();
    if (made.text.length > this.#left) return undefined;
    this.#left -= made.text.length;
    return made;
  }
}
