import type { Html } from "./html.ts";

/** No part of a page is smaller, so that with less left nothing needs to be made. */
const LEAST = 500;

/** How much of what the target sent a page may hold: it is to open on a telephone, too. */
export class PageBudget {
  #left: number;

  /** @param most In characters of HTML. */
  constructor(most: number) {
    this.#left = most;
  }

  /** What is made, where there is still room for it. */
  take(make: () => Html): Html | undefined {
    if (this.#left < LEAST) return undefined;
    const made = make();
    if (made.text.length > this.#left) return undefined;
    this.#left -= made.text.length;
    return made;
  }
}
