import { assertKnownOptions } from "../options.ts";
import { assertInteger } from "./assert-integer.ts";
import {
  DEFAULT_KEEP_MS,
  DEFAULT_LEASE_MS,
  type DuplicateStore,
  type DuplicateTimes,
} from "./duplicates.ts";

/** How much a store in memory remembers. */
export interface MemoryDuplicatesOptions extends DuplicateTimes {
  /** How many handled deliveries are remembered, the latest; default: 100,000. */
  readonly limit?: number;
}

const OPTIONS = Object.keys({
  leaseMs: 0,
  keepMs: 0,
  now: 0,
  limit: 0,
} satisfies Record<keyof MemoryDuplicatesOptions, 0>);

/**
 * Remembers handled deliveries in memory: for one process, until it ends. 100,000 of them take
 * about 20 MB. Its clock does not follow changes of the wall clock.
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
  // In the order in which they were done, so that the oldest come first.
  const doneUntil = new Map<string, number>();

  const forget = () => {
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
        forget();
      };
      return { state: "claimed", done, release };
    },
  };
}
