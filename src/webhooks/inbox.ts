import type { Delivery } from "./delivery.ts";

/** A lane that one worker may work on until the lease expires. */
export interface Lease {
  /** Identifies the lane in the inbox. Without a lane, each delivery has its own. */
  readonly lane: string;
  /** Identifies this lease. A settlement with the token of an earlier lease has no effect. */
  readonly token: string;
  /** How often in a row the lane was taken before without a settlement, such as by a crash. */
  readonly interruptions: number;
  /** When the lane was due, by the clock of the inbox. A release restores it. */
  readonly dueAt: number;
  /**
   * The first deliveries of the lane, in order; at least one. Only one if the lane was
   * interrupted, so that the cause of a crash can be found.
   */
  readonly deliveries: readonly Delivery[];
}

/**
 * Ends a lease. Deliveries of the lease that it does not list stay in the lane, due at once. If it
 * lists none, the lane is released as if it had not been taken, and keeps its place.
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
    /**
     * Set if the attempt broke off: true if its handler had started, so that the lane counts an
     * interruption, as by a crash; false if its count stays.
     */
    readonly isInterruption?: boolean;
  };
}

/**
 * Runs a part of a transaction. If `run` rejects, its statements are undone, those of other parts
 * stay, and the returned promise rejects with the same error. Parts must not overlap.
 *
 * A part that waited too long for a lock of another transaction, or was chosen to end a deadlock,
 * rejects with a RetryLaterError. If the transaction broke off, it rejects with a TxfeedError
 * `unreachable`.
 */
export type RunPart<Tx> = <T>(run: (tx: Tx) => T | Promise<T>) => Promise<T>;

/**
 * Stores deliveries between their acknowledgement and their handling, and remembers handled ones.
 * Any number of processes may share one, unless it is in memory.
 *
 * A lane is taken by one worker at a time. All durations are in milliseconds; the inbox measures
 * them with its own clock, which does not follow changes of the wall clock of a receiver. Every
 * wait for the database has a limit of some seconds; a method then rejects with a TxfeedError
 * `unreachable`, or for a file `file`.
 *
 * @typeParam Tx What a handler gets to run statements in the inbox's transaction; `undefined` if
 * the inbox has no transactions.
 */
export interface Inbox<Tx = undefined> {
  /**
   * Stores a delivery. Resolves when it is durable, because it is acknowledged then.
   *
   * @param isGone Whether the sender no longer waits for the response. The delivery may be dropped
   * then, and the promise rejects with a TxfeedError `body-incomplete`.
   * @returns `added`; `waiting` if a delivery with the same key is stored; `handled` if one was
   * handled; `replayed` if one was in quarantine and is due again with all its attempts.
   */
  add(
    delivery: Delivery,
    isGone?: () => boolean,
  ): Promise<"added" | "waiting" | "handled" | "replayed">;

  /**
   * Takes lanes that are due, atomically; those that are due the longest first. Each is due again
   * after `leaseMs`, unless `renew` extends the lease or `transaction` ends it. Transactions of
   * other workers whose leases expired are ended, so that they keep no locks; `renew` does it too.
   */
  take(limit: number, leaseMs: number): Promise<readonly Lease[]>;

  /**
   * Makes leases expire `leaseMs` from now, and keeps the running transactions of this inbox alive.
   *
   * @returns the leases that were lost: they expired and the lane was taken again.
   */
  renew(leases: readonly Lease[], leaseMs: number): Promise<readonly Lease[]>;

  /**
   * Runs `work` in a transaction and ends the leases of its settlements in the same transaction.
   * The database ends the transaction by itself if this process does not use it, or renew leases,
   * for `leaseMs`.
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
  transaction(
    leaseMs: number,
    work: (runPart: RunPart<Tx>) => Promise<readonly Settlement[]>,
  ): Promise<void>;

  /**
   * Ends leases without a transaction of a handler. It does not wait for one.
   *
   * @throws {TxfeedError} `lease-lost` if a lease was lost. Nothing was changed.
   */
  settle(settlements: readonly Settlement[]): Promise<void>;

  /**
   * Handles a delivery without storing it. Of concurrent calls with the same key or lane in any
   * process, one runs `work`, with a lease that is renewed. `work` and the record that the delivery
   * was handled share a transaction.
   *
   * @returns `handled`; `duplicate` if it was handled before; `busy` if a delivery of the same key
   * or lane is stored and waiting, or is handled by a worker or another call.
   * @throws the error of `work`; nothing is recorded then. {TxfeedError} `lease-lost` if the
   * process stalled so long that another one could handle a delivery of the same key or lane, or if
   * the key was stored or handled meanwhile.
   * The reason of `signal`, when it aborts: `work` may still run then, without effect.
   */
  once(
    delivery: Pick<Delivery, "key" | "lane">,
    leaseMs: number,
    work: (tx: Tx) => Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<"handled" | "duplicate" | "busy">;

  /**
   * Checks that a delivery can be stored: writes one and removes it.
   *
   * @throws the error that `add` would reject with now.
   */
  check(): Promise<void>;

  status(): Promise<InboxStatus>;

  /** Lists stored deliveries by ascending id. */
  list(filter?: DeliveryFilter): Promise<readonly Delivery[]>;

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
  readonly maxTransactions?: number | undefined;

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

/** How long an inbox remembers handled deliveries by default, in milliseconds: seven days. */
export const DEFAULT_KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/** The longest time that an inbox can remember them: ten years. */
export const MAX_KEEP_MS = 10 * 365 * 24 * 60 * 60 * 1000;

/** How many deliveries a lease has at most. */
export const LEASE_SIZE = 32;

/** How many characters the bodies of a lease have at most, unless it has only one delivery. */
export const LEASE_CHARACTERS = 1_000_000;
