/**
 * Remembers which deliveries were handled. A delivery is claimed before it is handled and done
 * afterwards: a crash in between loses nothing, since the claim ends with its lease and the
 * sender's next try can claim anew.
 */
export interface DuplicateStore {
  /** Claims a delivery, atomically: of all that ask at a time, in any process, one gets it. */
  claim(key: string): Claim | Promise<Claim>;
}

/** What a store says of a delivery: it was handled, somebody is at it, or it is yours. */
export type Claim =
  | { readonly state: "done" }
  | { readonly state: "busy" }
  | {
      readonly state: "claimed";
      /** Remembers that the delivery was handled, even where the lease is over by now. */
      done(): void | Promise<void>;
      /** Gives the delivery back unhandled; nothing where the lease is over by now. */
      release(): void | Promise<void>;
    };

/** How long a store holds what. */
export interface DuplicateTimes {
  /**
   * How long a claim holds off the others, in milliseconds: longer than a handler takes, or a
   * repeat is handled beside it. A minute unless set.
   */
  readonly leaseMs?: number;
  /** How long a handled delivery is remembered, in milliseconds. Seven days unless set. */
  readonly keepMs?: number;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

export const DEFAULT_LEASE_MS = 60_000;
export const DEFAULT_KEEP_MS = 7 * 24 * 60 * 60 * 1000;
