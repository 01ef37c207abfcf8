/** A delivery to be queued. */
export interface NewDelivery {
  /** Identifies the delivery; undefined if the same content can be a new event. */
  readonly key: string | undefined;
  /** The value of the header `webhook-event-type`. */
  readonly event: string;
  /** The body's text, as it came. */
  readonly body: string;
  /** When it came; ISO 8601. */
  readonly receivedAt: string;
}

/** A delivery that was taken from a queue. */
export interface TakenDelivery extends NewDelivery {
  readonly id: number;
  /** A random id of the stored delivery. It owns the claim of the key in a `DuplicateStore`. */
  readonly token: string;
  /** How often it was taken, this time included. */
  readonly attempt: number;
  /** How often its handler failed since it was queued, or replayed. */
  readonly failures: number;
  /** How often in a row it was taken and neither finished nor given back: the process ended. */
  readonly interruptions: number;
}

/**
 * Keeps deliveries between their acknowledgement and their handling. It gives no promise of order.
 * All times are durations: the queue measures them by a clock of its own, which must not follow
 * changes of the wall clock.
 */
export interface DeliveryQueue {
  /**
   * Stores a delivery and resolves when it is durable, because it is acknowledged then. A delivery
   * whose key is in the quarantine is made due again, as by `replay`: `requeued`. One whose key
   * waits or is being handled is `present`, and nothing changes.
   */
  add(delivery: NewDelivery): Promise<"added" | "requeued" | "present">;
  /**
   * Takes deliveries that are due, atomically, for `leaseMs`. They are due again afterwards, unless
   * one of the next five ends the lease or `renew` extends it.
   */
  take(limit: number, leaseMs: number): Promise<readonly TakenDelivery[]>;
  /** Makes the lease end `leaseMs` from now; no effect if another process took the delivery. */
  renew(delivery: TakenDelivery, leaseMs: number): Promise<void>;
  /** Removes a delivery that was handled. */
  finish(delivery: TakenDelivery): Promise<void>;
  /** Counts a failure and makes it due after `delayMs`; no effect if another process took it. */
  retry(delivery: TakenDelivery, delayMs: number): Promise<void>;
  /** Makes it due after `delayMs` and counts nothing; no effect if another process took it. */
  release(delivery: TakenDelivery, delayMs: number): Promise<void>;
  /** Moves a delivery to the quarantine; no effect if another process took it. */
  isolate(delivery: TakenDelivery, reason: string): Promise<void>;
  /** The deliveries that failed once too often. */
  readonly quarantine: Quarantine;
}

/** A delivery that failed once too often. */
export interface QuarantinedDelivery extends NewDelivery {
  readonly id: number;
  /** How often it was taken since it was first stored. */
  readonly attempts: number;
  /** What went wrong the last time. */
  readonly reason: string;
}

/** Where deliveries stay that failed once too often, until they are replayed or discarded. */
export interface Quarantine {
  /** Lists what is there, the oldest first. */
  list(): Promise<readonly QuarantinedDelivery[]>;
  /**
   * Makes a delivery due, with all its attempts before it.
   *
   * @returns whether it was there.
   */
  replay(id: number): Promise<boolean>;
  /**
   * Removes a delivery for good.
   *
   * @returns whether it was there.
   */
  discard(id: number): Promise<boolean>;
}
