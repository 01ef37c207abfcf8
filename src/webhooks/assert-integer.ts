import { UsageError } from "../errors.ts";

/**
 * Refuses, with a TxfeedError `usage`, an option that is no whole number of at least `least`: what
 * comes of a variable that is not set is NaN, and would stall deliveries in silence.
 *
 * @param name The option, behind what takes it: `createReceiver: limitBytes`.
 */
export function assertInteger(name: string, value: number, least = 1): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new UsageError(`${name} is ${value}, not ${least} or more`);
}
