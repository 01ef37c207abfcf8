import { Abandoned } from "./attempt.ts";
import type { Inbox, Lease } from "./inbox.ts";

/** A lane that this worker has taken. */
export interface HeldLane {
  readonly lease: Lease;
  /** Aborts, with an Abandoned, when the lease has no effect any more. */
  readonly controller: AbortController;
  /** Whether its first delivery gets a transaction of its own, because a shared one failed. */
  readonly isSolo: boolean;
  readonly takenAt: number;
  /** When the lease ends, unless it is renewed. */
  endsAt: number;
}

/**
 * A transaction takes no further delivery when it has lasted this long. Fast handlers thus share
 * one commit. A slow one delays the commit of those before it, unless its event is known as slow.
 */
export const TRANSACTION_MS = 50;

/** A lane that this worker could not start for so long is released for others. */
const MAX_UNSTARTED_MS = 100;

const MAX_SOLO = 10_000;

/** The names of unknown events are unlimited. */
const MAX_EVENTS = 100;

/** The most lanes that are taken for one transaction. */
const MAX_LANES = 16;

/** The lanes that a worker has taken and not ended. All times are those of `performance.now()`. */
export interface HeldLanes {
  /** How many lanes fit into a transaction, by the durations of the latest attempts. */
  perTransaction(): number;
  /** Takes up to `limit` lanes. Resolves to how many. */
  take(limit: number): Promise<number>;
  /** How many lanes are taken and not started. */
  readonly ready: number;
  /** Starts a lane. A lane that needs a transaction of its own comes only as `first`. */
  next(place: "first" | "further"): HeldLane | undefined;
  /**
   * Ends a lane, after its settlement. Its deliveries up to the id `soloUntil` get transactions of
   * their own the next time.
   */
  end(held: HeldLane, soloUntil?: number): void;
  /** Records how long an attempt took. */
  measure(event: string, durationMs: number): void;
  /** Releases the lanes that were not started, or only those that have waited too long. */
  releaseReady(which: "all" | "late"): Promise<void>;
  /** Gives up the lanes that are started. */
  abort(reason: Abandoned): void;
  /** Stops renewing. */
  close(): void;
}

/** Takes lanes of an inbox and renews their leases. */
export function createHeldLanes<Tx>(inbox: Inbox<Tx>, leaseMs: number): HeldLanes {
  let ready: HeldLane[] = [];
  const started = new Set<HeldLane>();
  /** The last delivery, by lane, that gets a transaction of its own. */
  const solo = new Map<string, number>();
  // Until handlers have proved to be fast, each lane gets a transaction of its own.
  let averageMs = TRANSACTION_MS;
  /** The average durations of slow events; others are missing. */
  const slowMs = new Map<string, number>();

  async function renew(): Promise<void> {
    const held = [...ready, ...started];
    if (held.length === 0) return;
    const now = performance.now();
    try {
      const lost = await inbox.renew(
        held.map(({ lease }) => lease),
        leaseMs,
      );
      const lostTokens = new Set(lost.map(({ lane, token }) => `${token} ${lane}`));
      for (const each of held) {
        const { lane, token } = each.lease;
        if (lostTokens.has(`${token} ${lane}`)) lose(each);
        else each.endsAt = now + leaseMs;
      }
    } catch {
      // The next renewal may still be in time.
      for (const each of held) if (isExpired(each)) lose(each);
    }
  }

  function lose(held: HeldLane): void {
    ready = ready.filter((each) => each !== held);
    held.controller.abort(
      new Abandoned("lost", `the lease of ${leaseMs} ms was not renewed in time`),
    );
  }

  const isSlow = ({ lease }: HeldLane) =>
    (slowMs.get(lease.deliveries[0]?.event ?? "") ?? 0) > TRANSACTION_MS;

  const renewal = setInterval(() => void renew(), leaseMs / 3);

  return {
    perTransaction: () => Math.min(MAX_LANES, Math.max(1, Math.floor(TRANSACTION_MS / averageMs))),
    async take(limit) {
      // If the event loop was blocked, the worker would take its own lanes from itself.
      if ([...ready, ...started].some(isExpired)) await renew();
      const takenAt = performance.now();
      const leases = await inbox.take(limit, leaseMs);
      for (const lease of leases) {
        const [first] = lease.deliveries;
        const soloUntil = solo.get(lease.lane);
        const isSolo = first !== undefined && soloUntil !== undefined && first.id <= soloUntil;
        if (!isSolo) solo.delete(lease.lane);
        const controller = new AbortController();
        ready.push({ lease, controller, isSolo, takenAt, endsAt: takenAt + leaseMs });
      }
      return leases.length;
    },
    get ready() {
      return ready.length;
    },
    next(place) {
      const [held] = ready;
      // Another worker may have taken an expired one; a renewal finds out.
      if (!held || isExpired(held)) return undefined;
      if (place === "further" && (held.isSolo || isSlow(held))) return undefined;
      ready.shift();
      started.add(held);
      return held;
    },
    end(held, soloUntil) {
      started.delete(held);
      if (soloUntil === undefined) return;
      // Other workers may take the lanes from now on, so the map could grow for ever.
      if (solo.size >= MAX_SOLO) solo.clear();
      solo.set(held.lease.lane, soloUntil);
    },
    measure(event, durationMs) {
      averageMs += (durationMs - averageMs) / 8;
      const before = slowMs.get(event) ?? 0;
      const after = before + (durationMs - before) / 8;
      if (after < 1) slowMs.delete(event);
      else if (slowMs.has(event) || slowMs.size < MAX_EVENTS) slowMs.set(event, after);
    },
    async releaseReady(which) {
      const since =
        which === "all" ? Number.POSITIVE_INFINITY : performance.now() - MAX_UNSTARTED_MS;
      const released = ready.filter(({ takenAt }) => takenAt < since);
      if (released.length === 0) return;
      ready = ready.filter(({ takenAt }) => takenAt >= since);
      const settlements = released.map(({ lease }) => ({ lease, handled: [], quarantined: [] }));
      // If it fails, the leases expire.
      await inbox.transaction(leaseMs, async () => settlements).catch(() => {});
    },
    abort(reason) {
      for (const { controller } of started) controller.abort(reason);
    },
    close: () => clearInterval(renewal),
  };
}

const isExpired = ({ endsAt }: HeldLane) => endsAt < performance.now();
