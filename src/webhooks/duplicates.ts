/**
 * Remembers which deliveries were handled. A delivery is claimed before it is handled and done
 * afterwards: a crash in between loses nothing, because the claim ends with its lease and the
 * sender's next attempt can claim it again.
 */
export interface DuplicateStore {
  /**
   * Claims a delivery, atomically: of all that ask at a time, in any process, one gets it.
   *
   * @param key Identifies the delivery; at most 100 characters.
   * @param owner Whose claim it is, such as one stored delivery of a queue: a claim replaces an
   * earlier claim of the same owner, whose process has ended. Default: a new owner.
   */
  claim(key: string, owner?: string): Claim | Promise<Claim>;
}

/** The answer to a claim: the delivery was handled, is being handled elsewhere, or is yours. */
export type Claim =
  | { readonly state: "done" }
  | { readonly state: "busy" }
  | {
      readonly state: "claimed";
      /** Remembers that the delivery was handled, even if the lease is over. */
      done(): void | Promise<void>;
      /** Gives the delivery back unhandled; no effect if it was claimed again since. */
      release(): void | Promise<void>;
    };

/** How long a store keeps claims and handled deliveries. */
export interface DuplicateTimes {
  /**
   * How long a claim excludes others, in milliseconds: longer than a handler takes, or a duplicate
   * is handled beside it. Default: a minute.
   */
  readonly leaseMs?: number;
  /** How long a handled delivery is remembered, in milliseconds. Default: seven days. */
  readonly keepMs?: number;
  /** The clock for both, in milliseconds. */
  readonly now?: () => number;
}

export const DEFAULT_LEASE_MS = 60_000;
export const DEFAULT_KEEP_MS = 7 * 24 * 60 * 60 * 1000;
