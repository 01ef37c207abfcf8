/** A delivery, as the receiver stores it. Texts have no NUL character and no lone surrogate. */
export interface NewDelivery {
  /** Identifies duplicates, in at most 100 characters; null if equal content can be a new event. */
  readonly key: string | null;
  /**
   * The deliveries of a lane are handled one after another, in order of receipt. At most 200
   * characters; null if the delivery needs no order.
   */
  readonly lane: string | null;
  /** The value of the header `webhook-event-type`. */
  readonly event: string;
  /** The body as text. */
  readonly body: string;
  /** The headers that are kept, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The sender's id of the delivery, if the signature covers it; null otherwise. */
  readonly deliveryId: string | null;
  /** ISO 8601, in the format of `Date.toISOString`. */
  readonly receivedAt: string;
}

/** A delivery in an inbox. */
export interface StoredDelivery extends NewDelivery {
  /** Grows in order of receipt within a lane. */
  readonly id: number;
  /** How often handling it failed since it was stored or replayed. */
  readonly failures: number;
}

/** A delivery that a worker may handle. */
export interface LeasedDelivery extends StoredDelivery {
  /** How many earlier deliveries of the lane are in quarantine. */
  readonly missing: number;
}

/** A lane that one worker may work on until the lease expires. */
export interface Lease {
  /** Identifies the lane in the inbox. Without a lane, each delivery has its own. */
  readonly lane: string;
  /** Identifies this lease. A settlement with the token of an earlier lease has no effect. */
  readonly token: string;
  /** How often in a row a lease of the lane expired before this one, such as by a crash. */
  readonly interruptions: number;
  /**
   * The first deliveries of the lane, in order; at least one. Only one if the lane was
   * interrupted, so that the cause of a crash can be found.
   */
  readonly deliveries: readonly LeasedDelivery[];
}

/**
 * Ends a lease. Deliveries of the lease that it does not list stay in the lane, due at once. If it
 * lists none, the lane is released as if it had not been taken.
 */
export interface Settlement {
  readonly lease: Lease;
  /** The ids of the handled deliveries. */
  readonly handled: readonly number[];
  /** The deliveries that go to quarantine, with the reason in one line. Each counts a failure. */
  readonly quarantined: readonly { readonly id: number; readonly reason: string }[];
  /**
   * The first delivery that remains is handled again after a delay, and its lane waits for it. If
   * an earlier one was replayed meanwhile, the lane is due at once.
   */
  readonly retry?: {
    readonly id: number;
    readonly delayMs: number;
    /** Why it is handled again, in one line. */
    readonly reason: string;
    /** Whether `failures` grows by one. */
    readonly isFailure: boolean;
  };
}

/**
 * Runs a part of a transaction. If `run` rejects, its statements are undone, those of other parts
 * stay, and the returned promise rejects with the same error. Parts must not overlap.
 */
export type RunPart<Tx> = <T>(run: (tx: Tx) => T | Promise<T>) => Promise<T>;

/**
 * Stores deliveries between their acknowledgement and their handling, and remembers handled ones.
 * Any number of processes may share one, unless it is in memory.
 *
 * A lane is taken by one worker at a time. All durations are in milliseconds; the inbox measures
 * them with its own clock, which does not follow changes of the wall clock of a receiver.
 *
 * @typeParam Tx What a handler gets to run statements in the inbox's transaction; `undefined` if
 * the inbox has no transactions.
 */
export interface Inbox<Tx = undefined> {
  /**
   * Stores a delivery. Resolves when it is durable, because it is acknowledged then.
   *
   * @returns `added`; `waiting` if a delivery with the same key is stored; `handled` if one was
   * handled; `replayed` if one was in quarantine and is due again with all its attempts.
   */
  add(delivery: NewDelivery): Promise<"added" | "waiting" | "handled" | "replayed">;

  /**
   * Takes lanes that are due, atomically; those that are due the longest first. Each is due again
   * after `leaseMs`, unless `renew` extends the lease or `transaction` ends it.
   */
  take(limit: number, leaseMs: number): Promise<readonly Lease[]>;

  /**
   * Makes leases expire `leaseMs` from now.
   *
   * @returns the leases that were lost: they expired and the lane was taken again.
   */
  renew(leases: readonly Lease[], leaseMs: number): Promise<readonly Lease[]>;

  /**
   * Runs `work` in a transaction and ends the leases of its settlements in the same transaction.
   *
   * If it rejects, nothing was changed, or the connection broke while committing: leases that were
   * not ended expire.
   *
   * Statements of a part can fail as late as the commit: those of SQLite run then, and deferred
   * constraints of Postgres are checked then. The transaction rejects with their error, and the
   * worker repeats each delivery in a transaction of its own to find the cause.
   *
   * @throws {TxfeedError} `lease-lost` if a lease of a settlement was lost. Nothing was changed.
   */
  transaction(work: (runPart: RunPart<Tx>) => Promise<readonly Settlement[]>): Promise<void>;

  /**
   * Handles a delivery without storing it. Of concurrent calls with the same key or lane in any
   * process, one runs `work`. With transactions, `work` and the record that the delivery was
   * handled share one.
   *
   * @returns `handled`; `duplicate` if it was handled before; `busy` if a delivery of the same key
   * or lane is stored and waiting, or is handled by a worker or another call.
   * @throws the error of `work`; nothing is recorded then. {TxfeedError} `lease-lost` if the
   * process stalled so long that another one could handle a delivery of the same key or lane.
   */
  once(
    delivery: Pick<NewDelivery, "key" | "lane">,
    work: (tx: Tx) => Promise<unknown>,
  ): Promise<"handled" | "duplicate" | "busy">;

  status(): Promise<InboxStatus>;

  /** Lists stored deliveries by ascending id. */
  list(filter?: DeliveryFilter): Promise<readonly ListedDelivery[]>;

  /** Counts the stored deliveries that `list` would return. */
  count(filter?: DeliveryFilter): Promise<number>;

  /**
   * Makes deliveries and the first ones of their lanes due now: those in quarantine with all their
   * attempts, waiting ones regardless of their delay. A current lease stays.
   *
   * @returns how many.
   */
  replay(filter: DeliveryFilter): Promise<number>;

  /**
   * Deletes deliveries. They can be received again. If a waiting one is deleted, the next one of
   * its lane is due now.
   *
   * @returns how many.
   */
  drop(filter: DeliveryFilter): Promise<number>;

  /**
   * How many calls of `transaction` run at a time, while others wait; undefined: any number. A
   * worker starts no more of them, so that it does not keep lanes from other workers.
   */
  readonly maxTransactions?: number;

  /** Closes the file or the connections that the inbox opened. Stored deliveries stay. */
  close(): void | Promise<void>;
}

/** Numbers of deliveries, except where lanes are named. */
export interface InboxStatus {
  /** Stored and neither handled nor in quarantine, including those being handled. */
  readonly waiting: number;
  readonly quarantined: number;
  /** Lanes whose lease is current. */
  readonly running: number;
  /** Lanes whose first delivery failed and waits for its retry. */
  readonly delayed: number;
  /** Lanes whose lease expired and was not followed by another: their worker stalled or ended. */
  readonly stalled: number;
  /** The age of the first waiting delivery, in milliseconds; null if there is none. */
  readonly oldestAgeMs: number | null;
  /**
   * How long a lane with a waiting delivery has been due without a worker, in milliseconds: the
   * longest one; null if none is due.
   */
  readonly lagMs: number | null;
}

/** Selects stored deliveries that fulfil all conditions. */
export interface DeliveryFilter {
  readonly state?: "waiting" | "quarantined";
  readonly ids?: readonly number[];
  /** The value of the header `webhook-event-type`. */
  readonly event?: string;
  readonly lane?: string;
  /** ISO 8601; received at this time or later. */
  readonly since?: string;
  /** ISO 8601; received before this time. */
  readonly before?: string;
  /** Greater ids than this one, such as those after the last one of a page. */
  readonly after?: number;
  /** Selects the first ones by id; default: all. */
  readonly limit?: number;
}

/** A stored delivery, for its operator. */
export interface ListedDelivery extends StoredDelivery {
  readonly state: "waiting" | "quarantined";
  /** Why it was retried or quarantined last; null if it was not, or was replayed since. */
  readonly reason: string | null;
}
