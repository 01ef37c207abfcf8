import { DueHeap, type HeapItem } from "./due-heap.ts";
import type { ListedDelivery } from "./inbox.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** A stored delivery. */
export interface Row {
  readonly delivery: Mutable<ListedDelivery>;
  readonly lane: Lane;
}

/** A lane in the heap is leased, due or delayed. Others have no waiting deliveries. */
export interface Lane extends HeapItem {
  readonly id: string;
  readonly name: string | null;
  /** By ascending id. */
  waiting: Map<number, Row>;
  readonly quarantined: Set<number>;
  /** The token of the lease; undefined if there is none. */
  token: string | undefined;
  /** How often in a row the lane was taken without a settlement. */
  interruptions: number;
}

/** The lanes of an inbox in memory. */
export class MemoryLanes {
  readonly #now: () => number;
  /** The lanes with a name that have deliveries or a lease. */
  readonly #byName = new Map<string, Lane>();
  readonly #byToken = new Map<string, Lane>();
  readonly #heap = new DueHeap<Lane>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a lane has a current lease or a waiting delivery. */
  isBusy(name: string | null): boolean {
    const lane = name === null ? undefined : this.#byName.get(name);
    if (!lane || lane.index < 0) return false;
    return lane.waiting.size > 0 || lane.dueAt > this.#now();
  }

  /** The lane with a current or expired lease; undefined if the lease was lost or has ended. */
  withLease(token: string): Lane | undefined {
    return this.#byToken.get(token);
  }

  /** The lane that has been due the longest; undefined if none is due. */
  firstDue(): Lane | undefined {
    const { first } = this.#heap;
    return first && first.dueAt <= this.#now() ? first : undefined;
  }

  /** Makes a lease expire at another time. */
  extend(lane: Lane, until: number): void {
    this.#heap.set(lane, until);
  }

  /** Finds a lane, or creates it; a lane without a name is always created. */
  lane(name: string | null): Lane {
    const present = name === null ? undefined : this.#byName.get(name);
    if (present) return present;
    const lane: Lane = {
      id: crypto.randomUUID(),
      name,
      waiting: new Map(),
      quarantined: new Set(),
      token: undefined,
      interruptions: 0,
      dueAt: 0,
      order: 0,
      index: -1,
    };
    if (name !== null) this.#byName.set(name, lane);
    return lane;
  }

  /** Starts a lease, which ends the previous one. */
  hold(lane: Lane, until: number): string {
    const token = crypto.randomUUID();
    if (lane.token !== undefined) this.#byToken.delete(lane.token);
    lane.token = token;
    this.#byToken.set(token, lane);
    this.#heap.set(lane, until);
    return token;
  }

  /** Ends the lease of a lane, if there is one, and makes the lane due if a delivery waits. */
  free(lane: Lane, delayMs = 0): void {
    if (lane.token !== undefined) this.#byToken.delete(lane.token);
    lane.token = undefined;
    if (lane.waiting.size > 0) {
      this.#heap.set(lane, this.#now() + delayMs);
      return;
    }
    this.#heap.delete(lane);
    if (lane.name !== null && lane.quarantined.size === 0) this.#byName.delete(lane.name);
  }

  /** Makes a lane that an operator or a sender changed due at once, unless it is leased. */
  wake(lane: Lane): void {
    // The interruptions may be those of another delivery.
    lane.interruptions = lane.token === undefined ? 0 : 1;
    if (lane.token === undefined) this.free(lane);
  }
}
