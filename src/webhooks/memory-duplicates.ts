import {
  DEFAULT_KEEP_MS,
  DEFAULT_LEASE_MS,
  type DuplicateStore,
  type DuplicateTimes,
} from "./duplicates.ts";
import { checkWholeNumber } from "./whole-number.ts";

/** How much a store in memory remembers. */
export interface MemoryDuplicatesOptions extends DuplicateTimes {
  /** How many handled deliveries are remembered, the latest; 100,000 unless set. */
  readonly limit?: number;
}

/**
 * Remembers handled deliveries in memory: for one process, until it ends. 100,000 of them take
 * about 20 MB.
 *
 * @throws TxfeedError `usage` where a limit or a time is no positive whole number.
 */
export function memoryDuplicates({
  limit = 100_000,
  leaseMs = DEFAULT_LEASE_MS,
  keepMs = DEFAULT_KEEP_MS,
  now = Date.now,
}: MemoryDuplicatesOptions = {}): DuplicateStore {
  for (const [name, value] of Object.entries({ limit, leaseMs, keepMs })) {
    checkWholeNumber(`memoryDuplicates: ${name}`, value);
  }
  const leases = new Map<string, { readonly until: number }>();
  // In the order in which they were done, so that the oldest come first.
  const doneUntil = new Map<string, number>();

  const forget = () => {
    for (const [key, until] of doneUntil) {
      if (doneUntil.size <= limit && until > now()) return;
      doneUntil.delete(key);
    }
  };

  return {
    claim(key) {
      if ((doneUntil.get(key) ?? 0) > now()) return { state: "done" };
      if ((leases.get(key)?.until ?? 0) > now()) return { state: "busy" };
      const lease = { until: now() + leaseMs };
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
