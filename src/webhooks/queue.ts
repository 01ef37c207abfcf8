/** A delivery to be queued. */
export interface NewDelivery {
  /** Tells it from any other; undefined where the same content can be news. */
  readonly key: string | undefined;
  /** What the header `webhook-event-type` says. */
  readonly event: string;
  /** The body's text, as it came. */
  readonly body: string;
  /** When it came; ISO 8601. */
  readonly receivedAt: string;
}

/** A delivery that was taken from a queue. */
export interface TakenDelivery extends NewDelivery {
  readonly id: number;
  /** How often it was taken, this time included. */
  readonly attempt: number;
}

/**
 * Keeps deliveries between their acknowledgement and their handling. It gives no promise of order.
 * Moments are in milliseconds since 1970.
 */
export interface DeliveryQueue {
  /**
   * Stores a delivery, unless one with its key is there, in the quarantine or not. Resolves when
   * it is durable, since it is acknowledged then.
   */
  add(delivery: NewDelivery): Promise<"added" | "present">;
  /**
   * Takes deliveries that are due, atomically, and counts the attempt. They are due again at
   * `until`: whoever took them has to be through by then, or `postpone` it.
   */
  take(limit: number, now: number, until: number): Promise<readonly TakenDelivery[]>;
  /** Removes a delivery: it was handled. */
  finish(delivery: TakenDelivery): Promise<void>;
  /** Makes a delivery due at another moment; nothing where somebody else took it since. */
  postpone(delivery: TakenDelivery, until: number): Promise<void>;
  /** Moves a delivery to the quarantine; nothing where somebody else took it since. */
  isolate(delivery: TakenDelivery, reason: string): Promise<void>;
  /** The deliveries that failed once too often. */
  readonly quarantine: Quarantine;
}

/** A delivery that failed once too often. */
export interface QuarantinedDelivery extends NewDelivery {
  readonly id: number;
  /** How often it was tried. */
  readonly attempts: number;
  /** What went wrong the last time. */
  readonly reason: string;
}

/** Where deliveries stay that failed once too often, until somebody has looked at them. */
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
