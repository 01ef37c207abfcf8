/** A delivery in a queue. */
export interface QueuedDelivery {
  readonly id: number;
  /** Identifies duplicates; undefined if equal content can be a new event. */
  readonly key: string | undefined;
  /** The value of the header `webhook-event-type`. */
  readonly event: string;
  /** The body as text. */
  readonly body: string;
  /** ISO 8601. */
  readonly receivedAt: string;
}

/** A queued delivery that one worker may handle until the lease expires. */
export interface Lease extends QueuedDelivery {
  /** A random id of the stored delivery. It owns the claim of the key in a `DuplicateStore`. */
  readonly token: string;
  /** How often the delivery was taken, including this time. */
  readonly attempt: number;
  /** How often its handler failed since it was queued or replayed. */
  readonly failures: number;
  /** How often in a row its lease expired, because the process ended. */
  readonly interruptions: number;
}

/**
 * Keeps deliveries between their acknowledgement and their handling, in no particular order. All
 * times are durations. The queue measures them with its own clock, which must not follow changes of
 * the wall clock.
 */
export interface DeliveryQueue {
  /**
   * Stores a delivery. Resolves when it is durable, because it is acknowledged then. If a delivery
   * with the same key is in quarantine, it is replayed instead: `requeued`. If one is waiting or
   * being handled, nothing changes: `present`.
   */
  add(delivery: Omit<QueuedDelivery, "id">): Promise<"added" | "requeued" | "present">;
  /**
   * Takes due deliveries, atomically, for `leaseMs`. They are due again when the lease expires,
   * unless `renew` extends it or `finish`, `retry`, `release` or `isolate` ends it.
   */
  take(limit: number, leaseMs: number): Promise<readonly Lease[]>;
  /** Makes a lease expire `leaseMs` from now; no effect if another process took the delivery. */
  renew(lease: Lease, leaseMs: number): Promise<void>;
  /** Removes a handled delivery. */
  finish(lease: Lease): Promise<void>;
  /** Counts a failure and retries after `delayMs`; no effect if another process took it. */
  retry(lease: Lease, delayMs: number): Promise<void>;
  /** Retries after `delayMs` without counting; no effect if another process took it. */
  release(lease: Lease, delayMs: number): Promise<void>;
  /** Moves a delivery to quarantine; no effect if another process took it. */
  isolate(lease: Lease, reason: string): Promise<void>;
  readonly quarantine: Quarantine;
}

/** Keeps deliveries that used up their attempts until they are replayed or discarded. */
export interface Quarantine {
  /**
   * Lists the deliveries, oldest first.
   *
   * @returns each delivery, how often it was taken, and its last error.
   */
  list(): Promise<
    readonly (QueuedDelivery & { readonly attempts: number; readonly reason: string })[]
  >;
  /**
   * Makes a delivery due again, with all its attempts.
   *
   * @returns whether it was in quarantine.
   */
  replay(id: number): Promise<boolean>;
  /**
   * Deletes a delivery.
   *
   * @returns whether it was in quarantine.
   */
  discard(id: number): Promise<boolean>;
}
