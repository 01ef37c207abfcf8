import type { Inbox, NewDelivery } from "../inbox.ts";
import { codeOf, isConnectionFailure } from "./errors.ts";

/** What became of a received delivery. */
export type Receipt = Awaited<ReturnType<Inbox["add"]>>;

/** Stores deliveries with different keys in one transaction. Returns their receipts in order. */
type Store = (deliveries: readonly NewDelivery[]) => Promise<readonly (Receipt | "again")[]>;

const MAX_DELIVERIES = 200;
/** In UTF-16 code units. */
const MAX_BODIES_LENGTH = 4_000_000;
const MAX_ATTEMPTS = 10;

/** The codes of `serialization_failure` and `deadlock_detected`. */
const REPEATABLE = ["40001", "40P01"];

interface Pending {
  readonly delivery: NewDelivery;
  resolve(receipt: Receipt): void;
  reject(error: unknown): void;
}

/** Stores deliveries together that are received at the same time, so that they share a commit. */
export class Receipts {
  readonly #store: Store;
  #pending: Pending[] = [];
  #running: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  add(delivery: NewDelivery): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ delivery, resolve, reject });
      // One batch at a time: concurrent ones could swap deliveries of the same lane.
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all receipts have ended. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Collects what is added in the same turn.
    await undefined;
    while (this.#pending.length > 0) await this.#storeAll(this.#nextBatch(), 1);
    this.#running = undefined;
  }

  /** Removes the next deliveries with different keys. */
  #nextBatch(): readonly Pending[] {
    const keys = new Set<string>();
    const batch: Pending[] = [];
    const left: Pending[] = [];
    let length = 0;
    for (const one of this.#pending) {
      const { key, body } = one.delivery;
      const isFull =
        batch.length === MAX_DELIVERIES ||
        (batch.length > 0 && length + body.length > MAX_BODIES_LENGTH);
      if (isFull || left.length > MAX_DELIVERIES || (key !== null && keys.has(key))) {
        left.push(one);
        continue;
      }
      if (key !== null) keys.add(key);
      length += body.length;
      batch.push(one);
    }
    this.#pending = left;
    return batch;
  }

  async #storeAll(batch: readonly Pending[], attempt: number): Promise<void> {
    try {
      const receipts = await this.#store(batch.map(({ delivery }) => delivery));
      const again = batch.filter((one, index) => {
        const receipt = receipts[index] ?? "added";
        if (receipt !== "again") one.resolve(receipt);
        return receipt === "again";
      });
      if (again.length > 0) await this.#repeat(again, attempt, new Error("the key changes"));
    } catch (error) {
      const code = codeOf(error);
      if (code !== undefined && REPEATABLE.includes(code)) {
        await this.#repeat(batch, attempt, error);
      } else if (batch.length === 1 || isConnectionFailure(error)) {
        for (const { reject } of batch) reject(error);
      } else {
        // A delivery that can't be stored must not fail the others. In order, because of lanes.
        const middle = Math.ceil(batch.length / 2);
        await this.#storeAll(batch.slice(0, middle), 1);
        await this.#storeAll(batch.slice(middle), 1);
      }
    }
  }

  async #repeat(batch: readonly Pending[], attempt: number, error: unknown): Promise<void> {
    if (attempt < MAX_ATTEMPTS) await this.#storeAll(batch, attempt + 1);
    else for (const { reject } of batch) reject(error);
  }
}
