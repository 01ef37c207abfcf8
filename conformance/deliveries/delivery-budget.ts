import { lengthInJson, TextBudget, valuesIn } from "../transport/text-budget.ts";

/** Some thousand are what a busy system sends in the time of a run. */
const MAX_DELIVERIES = 20_000;

/** Deliveries are kept to the end of the run, parsed and as they came: the memory has to do. */
const LIMITS = { chars: 32_000_000, values: 1_500_000 };

/** Room for one delivery. */
interface Reservation {
  /** Makes room for so many bytes of its body; false if there is none. */
  readonly add: (bytes: number) => boolean;
  /** Makes room for the body as it is kept; false if there is none. */
  readonly keep: (body: string) => boolean;
  /** Gives the room of the body back: it is not kept. */
  readonly release: () => void;
}

/** Bounds the deliveries that a run keeps. Once it was full, it stays full. */
export class DeliveryBudget {
  readonly #budget = new TextBudget(LIMITS);
  #deliveries = 0;
  #isFull = false;

  /**
   * Room for a delivery; undefined if there is none.
   *
   * @param headLength The characters of its address and headers.
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
      this.#budget.giveBack(held);
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
