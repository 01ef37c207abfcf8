import process from "node:process";

/**
 * Milliseconds since the machine started. All its processes share this clock, and setting the
 * wall clock does not change it.
 */
export function uptimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
