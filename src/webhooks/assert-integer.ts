import { UsageError } from "../errors.ts";

/**
 * Checks an option that must be an integer. An unset environment variable becomes NaN, which would
 * silently stall deliveries.
 *
 * @param name The function and its option: `createReceiver: limitBytes`.
 * @throws {TxfeedError} `usage` unless the value is an integer of at least `least`.
 */
export function assertInteger(name: string, value: number, least = 1): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new UsageError(`${name} must be an integer of at least ${least}; got ${value}`);
}
