import { assertKnownOptions } from "../options.ts";
import { assertInteger } from "./assert-integer.ts";

/**
 * Remembers handled deliveries. A delivery is claimed before it is handled and marked as done
 * afterwards. A crash between the two loses nothing: the claim expires, and the sender's next
 * attempt can claim the delivery again.
 */
export interface DuplicateStore {
  /**
   * Claims a delivery, atomically: of concurrent callers in any process, one gets it.
   *
   * @param key Identifies the delivery; at most 100 characters.
   * @param owner Identifies the claimant, such as one stored delivery of a queue. A claim replaces
   * an earlier claim of the same owner, whose process has ended. Default: a new owner.
   */
  claim(key: string, owner?: string): Claim | Promise<Claim>;
}

/** The result of a claim: the delivery was handled, is being handled elsewhere, or is claimed. */
export type Claim =
  | { readonly state: "done" }
  | { readonly state: "busy" }
  | {
      readonly state: "claimed";
      /** Records that the delivery was handled, even if the lease has expired. */
      done(): void | Promise<void>;
      /** Releases the claim; no effect if the delivery was claimed again since. */
      release(): void | Promise<void>;
    };

/** How long a store keeps claims and handled deliveries. */
export interface DuplicateTimes {
  /**
   * How long a claim lasts, in milliseconds. Choose more than a handler takes: otherwise a
   * duplicate is handled concurrently. Default: one minute.
   */
  readonly leaseMs?: number;
  /** How long a handled delivery is remembered, in milliseconds. Default: seven days. */
  readonly keepMs?: number;
  /** The clock for both, in milliseconds. */
  readonly now?: () => number;
}

export const DEFAULT_LEASE_MS = 60_000;
export const DEFAULT_KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/** The options of a store in memory. */
export interface MemoryDuplicatesOptions extends DuplicateTimes {
  /** How many of the latest handled deliveries are remembered; default: 100,000. */
  readonly limit?: number;
}

const OPTIONS = Object.keys({
  leaseMs: 0,
  keepMs: 0,
  now: 0,
  limit: 0,
} satisfies Record<keyof MemoryDuplicatesOptions, 0>);

/**
 * Remembers handled deliveries in memory, for one process. 100,000 of them take about 20 MB.
 * Changes of the wall clock have no effect.
 *
 * @throws {TxfeedError} `usage` if a limit or a time is not a positive integer, or an option is
 * unknown.
 * @example memoryDuplicates({ limit: 10_000 })
 */
export function memoryDuplicates(options: MemoryDuplicatesOptions = {}): DuplicateStore {
  assertKnownOptions("memoryDuplicates", options, OPTIONS);
  const {
    limit = 100_000,
    leaseMs = DEFAULT_LEASE_MS,
    keepMs = DEFAULT_KEEP_MS,
    now = () => performance.now(),
  } = options;
  for (const [name, value] of Object.entries({ limit, leaseMs, keepMs })) {
    assertInteger(`memoryDuplicates: ${name}`, value);
  }
  const leases = new Map<string, { readonly until: number; readonly owner: string | undefined }>();
  // Ordered by when they were done, the oldest first.
  const doneUntil = new Map<string, number>();

  const removeExpired = () => {
    for (const [key, until] of doneUntil) {
      if (doneUntil.size <= limit && until > now()) return;
      doneUntil.delete(key);
    }
  };

  return {
    claim(key, owner) {
      if ((doneUntil.get(key) ?? Number.NEGATIVE_INFINITY) > now()) return { state: "done" };
      const before = leases.get(key);
      const isMine = owner !== undefined && before?.owner === owner;
      if (before && before.until > now() && !isMine) return { state: "busy" };
      const lease = { until: now() + leaseMs, owner };
      leases.set(key, lease);
      const release = () => {
        if (leases.get(key) === lease) leases.delete(key);
      };
      const done = () => {
        release();
        doneUntil.delete(key);
        doneUntil.set(key, now() + keepMs);
        removeExpired();
      };
      return { state: "claimed", done, release };
    },
  };
}
