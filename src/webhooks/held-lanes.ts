import { Abandoned } from "./attempt.ts";
import type { Inbox, Lease } from "./inbox.ts";
import { isOfInbox } from "./store.ts";

/** A lane that this worker has taken. */
export interface HeldLane {
  readonly lease: Lease;
  /** Aborts, with an Abandoned, when the lease has no effect any more. */
  readonly controller: AbortController;
  /** Whether it gets a transaction of its own: a shared one failed, or its handlers are slow. */
  readonly isAlone: boolean;
  /** When the lease ends, unless it is renewed; by `performance.now()`. */
  endsAt: number;
}

/**
 * A transaction takes no further delivery when it has lasted this long. Fast handlers thus share
 * one commit. A slow one delays the commit of those before it, unless its event is known as slow.
 */
export const TRANSACTION_MS = 50;

const MAX_ALONE = 10_000;

/** The names of unknown events are unlimited. */
const MAX_EVENTS = 100;

/** The most lanes that are taken for one transaction. */
const MAX_LANES = 16;

/** The lanes that a worker has taken and not ended, and what it knows of its handlers. */
export class HeldLanes {
  readonly #inbox: Pick<Inbox<never>, "renew" | "settle" | "take">;
  readonly #leaseMs: number;
  readonly #renewal: ReturnType<typeof setInterval>;
  readonly #held = new Set<HeldLane>();
  /** The last delivery, by lane, that gets a transaction of its own. */
  readonly #aloneUntil = new Map<string, number>();
  // Until handlers have proved to be fast, each lane gets a transaction of its own.
  #averageMs = TRANSACTION_MS;
  /** The average durations of slow events; others are missing. */
  readonly #slowMs = new Map<string, number>();

  constructor(inbox: Pick<Inbox<never>, "renew" | "settle" | "take">, leaseMs: number) {
    this.#inbox = inbox;
    this.#leaseMs = leaseMs;
    this.#renewal = setInterval(() => void this.#renew(), leaseMs / 3);
  }

  /** How many lanes fit into a transaction, by the durations of the latest attempts. */
  get perTransaction(): number {
    return Math.min(MAX_LANES, Math.max(1, Math.floor(TRANSACTION_MS / this.#averageMs)));
  }

  /** Takes up to `limit` lanes. */
  async take(limit: number): Promise<readonly HeldLane[]> {
    // If the event loop was blocked, the worker would take its own lanes from itself.
    if ([...this.#held].some(isExpired)) await this.#renew();
    const endsAt = performance.now() + this.#leaseMs;
    const leases = await this.#inbox.take(limit, this.#leaseMs);
    return leases.map((lease) => {
      const { id = 0, event = "" } = lease.deliveries[0] ?? {};
      const isFailed = id <= (this.#aloneUntil.get(lease.lane) ?? 0);
      if (!isFailed) this.#aloneUntil.delete(lease.lane);
      const isAlone = isFailed || (this.#slowMs.get(event) ?? 0) > TRANSACTION_MS;
      const held = { lease, controller: new AbortController(), isAlone, endsAt };
      this.#held.add(held);
      return held;
    });
  }

  /**
   * Ends a lane, after its settlement. Its deliveries up to the id `aloneUntil` get transactions of
   * their own the next time.
   */
  end(held: HeldLane, aloneUntil?: number): void {
    this.#held.delete(held);
    if (aloneUntil === undefined) return;
    // Other workers may take the lanes from now on, so the map could grow for ever.
    if (this.#aloneUntil.size >= MAX_ALONE) this.#aloneUntil.clear();
    this.#aloneUntil.set(held.lease.lane, aloneUntil);
  }

  /** Releases lanes as if they had not been taken. */
  async release(lanes: readonly HeldLane[]): Promise<void> {
    if (lanes.length === 0) return;
    for (const held of lanes) this.#held.delete(held);
    const settlements = lanes.map(({ lease }) => ({ lease, handled: [], quarantined: [] }));
    // If the database can't be used, or a lane is locked for long, the leases expire. One that was
    // lost must not fail the others.
    await this.#inbox.settle(settlements).catch(async (error: unknown) => {
      if (isOfInbox(error)) return;
      for (const one of settlements) await this.#inbox.settle([one]).catch(() => {});
    });
  }

  /** Records how long an attempt took. */
  measure(event: string, durationMs: number): void {
    this.#averageMs += (durationMs - this.#averageMs) / 8;
    const before = this.#slowMs.get(event) ?? 0;
    const after = before + (durationMs - before) / 8;
    if (after < 1) this.#slowMs.delete(event);
    else if (this.#slowMs.has(event) || this.#slowMs.size < MAX_EVENTS) {
      this.#slowMs.set(event, after);
    }
  }

  /** Gives all lanes up. */
  abort(reason: Abandoned): void {
    for (const { controller } of this.#held) controller.abort(reason);
  }

  /** Stops renewing. */
  close(): void {
    clearInterval(this.#renewal);
  }

  async #renew(): Promise<void> {
    const held = [...this.#held];
    if (held.length === 0) return;
    const endsAt = performance.now() + this.#leaseMs;
    let isLost = isExpired;
    try {
      const leases = held.map(({ lease }) => lease);
      const lost = new Set(await this.#inbox.renew(leases, this.#leaseMs));
      isLost = ({ lease }) => lost.has(lease);
      for (const each of held) each.endsAt = endsAt;
    } catch {
      // The next renewal may still be in time.
    }
    const reason = `the lease of ${this.#leaseMs} ms was not renewed in time`;
    for (const each of held.filter(isLost)) each.controller.abort(new Abandoned("lost", reason));
  }
}

const isExpired = ({ endsAt }: HeldLane) => endsAt < performance.now();
