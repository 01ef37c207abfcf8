import { type TxfeedError, UsageError } from "./errors.ts";
import { suggestion } from "./nearest.ts";

/**
 * Throws if the options are not an object or have an unknown name. Without this check a mistyped
 * option would have no effect. `undefined` is a valid value.
 *
 * @param what The function that takes the options, such as `createReceiver`, for the message.
 * @throws {TxfeedError} `usage` with the nearest known name.
 * @example assertKnownOptions("createReceiver", options, ["on", "verify"]);
 */
export function assertKnownOptions(what: string, options: object, known: readonly string[]): void {
  // JavaScript callers may pass anything.
  if (typeof options !== "object" || options === null) {
    throw invalidOption(`${what}: options`, "an object", options);
  }
  const reason = describeUnknownOption(options, known);
  if (reason !== undefined) throw new UsageError(`${what}: ${reason}`);
}

/** Creates the error for an option with an invalid value. */
export function invalidOption(name: string, expected: string, got: unknown): TxfeedError {
  return new UsageError(`${name} must be ${expected}; got ${String(got)}`);
}

/**
 * Checks an option that must be an integer. An unset environment variable becomes NaN, which is
 * neither below nor above any limit.
 *
 * @param name The function and its option: `createReceiver: limitBytes`.
 * @throws {TxfeedError} `usage` unless the value is an integer from `least` to `most`.
 */
export function assertInteger(
  name: string,
  value: number,
  least = 1,
  most = Number.MAX_SAFE_INTEGER,
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const limit = value > most ? `at most ${most}` : `at least ${least}`;
  throw invalidOption(name, `an integer of ${limit}`, value);
}

/** The longest delay of a timer, in milliseconds. A longer delay acts as 1 ms. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * Checks an option that is a duration.
 *
 * @throws {TxfeedError} `usage` unless the value is an integer from `least` to `MAX_TIMER_MS`.
 */
export function assertDuration(name: string, value: number, least = 1): void {
  assertInteger(name, value, least, MAX_TIMER_MS);
}

/** Describes the first unknown option, with a suggestion; undefined if all are known. */
export function describeUnknownOption(
  options: object,
  known: readonly string[],
): string | undefined {
  const name = Object.keys(options).find((each) => !known.includes(each));
  if (name === undefined) return undefined;
  const advice = suggestion(name, known, `known options: ${known.join(", ")}`);
  return `unknown option "${name}"; ${advice}`;
}
