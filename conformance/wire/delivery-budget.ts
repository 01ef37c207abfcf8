import { lengthInJson, TextBudget, valuesIn } from "./text-budget.ts";

/** A busy system sends a few thousand deliveries during a run. */
const MAX_DELIVERIES = 20_000;

/** Memory limits. Deliveries are kept until the end of the run, both as text and parsed. */
const LIMITS = { chars: 32_000_000, values: 1_500_000 };

/** Memory reserved for one delivery. */
interface Reservation {
  /** Reserves bytes of its body; false if the budget is exhausted. */
  readonly add: (bytes: number) => boolean;
  /** Reserves memory for the final body; false if the budget is exhausted. */
  readonly keep: (body: string) => boolean;
  /** Releases the memory reserved for the body. */
  readonly release: () => void;
}

/** Limits the deliveries that a run keeps. Once full, it stays full. */
export class DeliveryBudget {
  readonly #budget = new TextBudget(LIMITS);
  #deliveries = 0;
  #isFull = false;

  /**
   * Reserves memory for a delivery; undefined if the budget is exhausted.
   *
   * @param headLength The number of characters in its URL and headers.
   */
  reserve(headLength: number): Reservation | undefined {
    if (this.#deliveries >= MAX_DELIVERIES) this.#isFull = true;
    if (!this.#take(headLength)) return undefined;
    this.#deliveries += 1;
    let held = 0;
    const add = (bytes: number) => {
      if (!this.#take(bytes)) return false;
      held += bytes;
      return true;
    };
    const release = () => {
      this.#budget.release(held);
      held = 0;
    };
    const keep = (body: string) => {
      release();
      return this.#take(lengthInJson(body), valuesIn(body));
    };
    return { add, keep, release };
  }

  #take(chars: number, values = 0): boolean {
    if (!this.#isFull && this.#budget.take(chars, values)) return true;
    this.#isFull = true;
    return false;
  }
}
