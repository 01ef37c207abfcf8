import { BodyIncompleteError } from "../errors.ts";
import type { Delivery } from "./delivery.ts";
import type { Inbox } from "./inbox.ts";
import type { Store } from "./store.ts";

/** The result of storing a delivery. */
export type Receipt = Awaited<ReturnType<Inbox["add"]>>;

interface Pending {
  readonly delivery: Delivery;
  readonly addedAt: number;
  readonly isGone: () => boolean;
  resolve(receipt: Receipt): void;
  reject(error: unknown): void;
}

/** The most deliveries, and characters of bodies, that are stored in one transaction. */
const MAX_BATCH = 200;
const MAX_BATCH_CHARACTERS = 4_000_000;
const MAX_REPEATS = 10;
/** How long a receipt waits for others if they fail. */
const MAX_WAIT_MS = 1000;

/** Stores deliveries together that are received at the same time, so that they share a commit. */
export class Receipts {
  readonly #store: Pick<Store<never>, "call" | "repairOf">;
  #pending: Pending[] = [];
  #receiving: Promise<void> | undefined;

  constructor(store: Pick<Store<never>, "call" | "repairOf">) {
    this.#store = store;
  }

  add(delivery: Delivery, isGone: () => boolean): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ delivery, isGone, resolve, reject, addedAt: performance.now() });
      // One batch at a time: concurrent ones could swap deliveries of the same lane.
      this.#receiving ??= this.#receive();
    });
  }

  /** Resolves when all receipts have ended; undefined if none runs. */
  idle(): Promise<void> | undefined {
    return this.#receiving;
  }

  async #receive(): Promise<void> {
    // Collects what is added in the same turn.
    await undefined;
    while (this.#pending.length > 0) await this.#storeAll(this.#nextBatch(), 1);
    this.#receiving = undefined;
  }

  /** Removes the next deliveries with different keys. */
  #nextBatch(): readonly Pending[] {
    const keys = new Set<string>();
    const batch: Pending[] = [];
    const left: Pending[] = [];
    let characters = 0;
    let isFull = false;
    for (const one of this.#pending) {
      const { key, body } = one.delivery;
      // It stays full, because later ones must not overtake those of their lane.
      isFull ||=
        batch.length === MAX_BATCH ||
        (batch.length > 0 && characters + body.length > MAX_BATCH_CHARACTERS);
      if (isFull || left.length > MAX_BATCH || (key !== null && keys.has(key))) {
        left.push(one);
      } else if (one.isGone()) {
        one.reject(new BodyIncompleteError("the sender went before the delivery was stored"));
      } else {
        if (key !== null) keys.add(key);
        characters += body.length;
        batch.push(one);
      }
    }
    this.#pending = left;
    return batch;
  }

  async #storeAll(batch: readonly Pending[], attempt: number): Promise<void> {
    if (batch.length === 0) return;
    const repeat = async (again: readonly Pending[], error: unknown) => {
      if (attempt < MAX_REPEATS) await this.#storeAll(again, attempt + 1);
      else for (const { reject } of again) reject(error);
    };
    try {
      const rows = await this.#store.call(
        "receive",
        batch.map(({ delivery: { key, lane, event, headers, deliveryId, receivedAt } }) => ({
          ...{ key, event, headers, sender: deliveryId, received: receivedAt },
          lane: lane === null ? `#${crypto.randomUUID()}` : `=${lane}`,
        })),
        batch.map(({ delivery: { body } }) => body),
      );
      // The rows are those of deliveries that were not added.
      const receipts = new Map(rows.map(({ place, result }) => [Number(place), result]));
      const again: Pending[] = [];
      for (const [at, one] of batch.entries()) {
        const receipt = (receipts.get(at + 1) ?? "added") as Receipt | "again";
        if (receipt === "again") again.push(one);
        else one.resolve(receipt);
      }
      if (again.length > 0) await repeat(again, new Error("another process changes the delivery"));
    } catch (error) {
      const repair = this.#store.repairOf(error);
      if (repair === "repeat") return repeat(batch, error);
      if (repair === "none") this.#failLate(error);
      if (repair === "none" || batch.length === 1) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // A delivery that can't be stored must not fail the others. In order, because of lanes.
      const middle = Math.ceil(batch.length / 2);
      await this.#storeAll(batch.slice(0, middle), 1);
      await this.#storeAll(batch.slice(middle), 1);
    }
  }

  /** Rejects receipts that waited long, so that they don't wait for batch after batch. */
  #failLate(error: unknown): void {
    const latest = performance.now() - MAX_WAIT_MS;
    for (const { addedAt, reject } of this.#pending) if (addedAt < latest) reject(error);
    this.#pending = this.#pending.filter(({ addedAt }) => addedAt >= latest);
  }
}
