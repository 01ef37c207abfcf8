import { LeaseLostError } from "../errors.ts";
import { assertKnownOptions } from "../options.ts";
import { assertInteger } from "./assert-integer.ts";
import { matcherOf } from "./delivery-filter.ts";
import type {
  DeliveryFilter,
  Inbox,
  InboxStatus,
  Lease,
  NewDelivery,
  RunPart,
  Settlement,
} from "./inbox.ts";
import { type Lane, MemoryLanes, type Row } from "./memory-lanes.ts";

/** How long an inbox remembers handled deliveries, in milliseconds. */
export const DEFAULT_KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/** How many deliveries a lease has at most. */
export const LEASE_SIZE = 32;

/** The options of an inbox in memory. */
export interface MemoryInboxOptions {
  /** How many of the latest handled deliveries are remembered; default: 100,000. */
  readonly limit?: number;
  /** How long a handled delivery is remembered, in milliseconds. Default: seven days. */
  readonly keepMs?: number;
  /** The clock, in milliseconds; default: one that does not follow the wall clock. */
  readonly now?: () => number;
}

const OPTIONS = Object.keys({
  limit: 0,
  keepMs: 0,
  now: 0,
} satisfies Record<keyof MemoryInboxOptions, 0>);

/**
 * An inbox in memory, for one process. Stored deliveries end with the process, so acknowledge
 * deliveries after they are handled. 100,000 remembered deliveries take about 20 MB. Changes of the
 * wall clock have no effect.
 *
 * @throws {TxfeedError} `usage` if a limit or a time is not a positive integer, or an option is
 * unknown.
 * @example memoryInbox({ limit: 10_000 })
 */
export function memoryInbox(options: MemoryInboxOptions = {}): Inbox {
  assertKnownOptions("memoryInbox", options, OPTIONS);
  const { limit = 100_000, keepMs = DEFAULT_KEEP_MS, now = () => performance.now() } = options;
  assertInteger("memoryInbox: limit", limit);
  assertInteger("memoryInbox: keepMs", keepMs);
  return new MemoryInbox(limit, keepMs, now);
}

/** Each method changes the state before it first awaits something, except for calls of `work`. */
class MemoryInbox implements Inbox {
  readonly #limit: number;
  readonly #keepMs: number;
  readonly #now: () => number;
  /** By ascending id. */
  readonly #rows = new Map<number, Row>();
  readonly #byKey = new Map<string, Row>();
  readonly #lanes: MemoryLanes;
  /** The keys of deliveries that `once` handles. */
  readonly #running = new Set<string>();
  /** When handled deliveries are forgotten, by key; the oldest first. */
  readonly #handledUntil = new Map<string, number>();
  #lastId = 0;

  constructor(limit: number, keepMs: number, now: () => number) {
    this.#limit = limit;
    this.#keepMs = keepMs;
    this.#now = now;
    this.#lanes = new MemoryLanes(now);
  }

  async add(delivery: NewDelivery) {
    const { key } = delivery;
    if (this.#isHandled(key)) return "handled";
    const present = key === null ? undefined : this.#byKey.get(key);
    if (present?.delivery.state === "waiting") return "waiting";
    if (present) {
      this.#replay(present);
      return "replayed";
    }
    const id = ++this.#lastId;
    const lane = this.#lanes.lane(delivery.lane);
    const row: Row = {
      delivery: { ...delivery, id, failures: 0, state: "waiting", reason: null },
      lane,
    };
    this.#rows.set(id, row);
    if (key !== null) this.#byKey.set(key, row);
    lane.waiting.set(id, row);
    if (lane.index < 0) this.#lanes.free(lane);
    return "added";
  }

  async take(limit: number, leaseMs: number) {
    const leases: Lease[] = [];
    const now = this.#now();
    while (leases.length < limit) {
      const lane = this.#lanes.firstDue();
      if (!lane) break;
      // An operator can drop all deliveries of a lease.
      if (lane.waiting.size === 0) this.#lanes.free(lane);
      else leases.push(this.#lease(lane, now + leaseMs));
    }
    return leases;
  }

  async renew(leases: readonly Lease[], leaseMs: number) {
    return leases.filter(({ token }) => {
      const lane = this.#lanes.withLease(token);
      if (lane) this.#lanes.extend(lane, this.#now() + leaseMs);
      return !lane;
    });
  }

  async transaction(work: (runPart: RunPart<undefined>) => Promise<readonly Settlement[]>) {
    const settlements = await work(async (run) => run(undefined));
    if (settlements.some(({ lease }) => !this.#lanes.withLease(lease.token))) {
      throw new LeaseLostError("the lease of a lane was lost, because it was not renewed in time");
    }
    for (const settlement of settlements) this.#settle(settlement);
  }

  async once(
    { key, lane: name }: Pick<NewDelivery, "key" | "lane">,
    work: (tx: undefined) => Promise<unknown>,
  ) {
    if (this.#isHandled(key)) return "duplicate";
    const present = key === null ? undefined : this.#byKey.get(key);
    if (present?.delivery.state === "waiting") return "busy";
    if (key !== null && this.#running.has(key)) return "busy";
    if (this.#lanes.isBusy(name)) return "busy";
    const lane = this.#lanes.lane(name);
    this.#lanes.hold(lane, Number.POSITIVE_INFINITY);
    if (key !== null) this.#running.add(key);
    try {
      await work(undefined);
      const stored = key === null ? undefined : this.#byKey.get(key);
      if (stored) this.#remove(stored);
      if (key !== null) this.#remember(key);
      return "handled";
    } finally {
      if (key !== null) this.#running.delete(key);
      this.#lanes.free(lane);
    }
  }

  async status(): Promise<InboxStatus> {
    const now = this.#now();
    const waiting = [...this.#rows.values()].filter(
      ({ delivery: { state } }) => state === "waiting",
    );
    const busy = [...new Set(waiting.map(({ lane }) => lane))];
    const first = waiting[0]?.delivery.receivedAt;
    const firstDueAt = busy.reduce((first, { dueAt }) => Math.min(first, dueAt), now + 1);
    return {
      waiting: waiting.length,
      quarantined: this.#rows.size - waiting.length,
      running: busy.filter(({ token, dueAt }) => token !== undefined && dueAt > now).length,
      delayed: busy.filter(({ token, dueAt }) => token === undefined && dueAt > now).length,
      stalled: busy.filter(({ token, dueAt }) => token !== undefined && dueAt <= now).length,
      oldestAgeMs: first === undefined ? null : Math.max(0, Date.now() - Date.parse(first)),
      lagMs: firstDueAt <= now ? now - firstDueAt : null,
    };
  }

  async list(filter: DeliveryFilter = {}) {
    return this.#select(filter).map(({ delivery }) => ({ ...delivery }));
  }

  async count(filter: DeliveryFilter = {}) {
    return this.#select(filter).length;
  }

  async replay(filter: DeliveryFilter) {
    const rows = this.#select(filter);
    for (const row of rows) this.#replay(row);
    return rows.length;
  }

  async drop(filter: DeliveryFilter) {
    const rows = this.#select(filter);
    for (const row of rows) {
      const { lane, delivery } = row;
      this.#remove(row);
      if (delivery.state === "waiting") this.#lanes.wake(lane);
      else if (lane.index < 0) this.#lanes.free(lane);
    }
    return rows.length;
  }

  close(): void {}

  #isHandled(key: string | null): boolean {
    const until = key === null ? undefined : this.#handledUntil.get(key);
    return until !== undefined && until > this.#now();
  }

  #remember(key: string): void {
    const now = this.#now();
    this.#handledUntil.delete(key);
    this.#handledUntil.set(key, now + this.#keepMs);
    for (const [oldest, until] of this.#handledUntil) {
      if (this.#handledUntil.size <= this.#limit && until > now) return;
      this.#handledUntil.delete(oldest);
    }
  }

  #lease(lane: Lane, until: number): Lease {
    const interruptions = lane.interruptions++;
    const token = this.#lanes.hold(lane, until);
    const first = firstOf(lane.waiting.values(), interruptions > 0 ? 1 : LEASE_SIZE);
    const deliveries = first.map(({ delivery: { state, reason, ...delivery } }) => {
      const earlier = [...lane.quarantined].filter((id) => id < delivery.id);
      return { ...delivery, missing: earlier.length };
    });
    return { lane: lane.id, token, interruptions, deliveries };
  }

  #settle({ lease, handled, quarantined, retry }: Settlement): void {
    const lane = this.#lanes.withLease(lease.token);
    if (!lane) return;
    for (const row of handled.map((id) => lane.waiting.get(id))) {
      if (!row) continue;
      this.#remove(row);
      if (row.delivery.key !== null) this.#remember(row.delivery.key);
    }
    for (const { id, reason } of quarantined) {
      const row = lane.waiting.get(id);
      if (!row) continue;
      const failures = row.delivery.failures + 1;
      Object.assign(row.delivery, { state: "quarantined", reason, failures });
      lane.waiting.delete(id);
      lane.quarantined.add(id);
    }
    const retried = retry && lane.waiting.get(retry.id)?.delivery;
    if (retried) {
      retried.failures += retry.isFailure ? 1 : 0;
      retried.reason = retry.reason;
    }
    const isReleased = handled.length + quarantined.length === 0 && !retry;
    lane.interruptions = isReleased ? lease.interruptions : 0;
    const [first] = lane.waiting.keys();
    this.#lanes.free(lane, retry && first === retry.id ? retry.delayMs : 0);
  }

  #select(filter: DeliveryFilter): Row[] {
    const matches = matcherOf(filter);
    const found = [...this.#rows.values()].filter(({ delivery }) => matches(delivery));
    return found.slice(0, filter.limit);
  }

  #remove({ delivery: { id, key }, lane }: Row): void {
    this.#rows.delete(id);
    if (key !== null) this.#byKey.delete(key);
    lane.waiting.delete(id);
    lane.quarantined.delete(id);
  }

  #replay(row: Row): void {
    const { delivery, lane } = row;
    if (delivery.state === "quarantined") {
      Object.assign(delivery, { state: "waiting", failures: 0, reason: null });
      lane.quarantined.delete(delivery.id);
      const waiting = [...lane.waiting, [delivery.id, row] as const];
      lane.waiting = new Map(waiting.sort(([one], [other]) => one - other));
    }
    this.#lanes.wake(lane);
  }
}

function firstOf<Item>(items: Iterable<Item>, count: number): Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.push(item) >= count) break;
  }
  return first;
}
