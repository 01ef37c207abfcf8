import { type TxfeedError, UsageError } from "./errors.ts";
import { suggestion } from "./nearest.ts";

/**
 * Throws if options are not an object or have a name that is not known. JavaScript ignores such a
 * name, and a mistyped option would then have no effect. `undefined` is a valid value.
 *
 * @param what The function that takes the options, for the message: `createReceiver`.
 * @throws {TxfeedError} `usage`, with the nearest known name.
 * @example refuseUnknownOptions("createReceiver", options, ["on", "verify"]);
 */
export function assertKnownOptions(what: string, options: object, known: readonly string[]): void {
  // From JavaScript, anything may arrive here.
  if (typeof options !== "object" || options === null) {
    throw invalidOption(`${what}: options`, "an object", options);
  }
  const reason = describeUnknownOption(options, known);
  if (reason !== undefined) throw new UsageError(`${what}: ${reason}`);
}

/** The error for an option whose value makes no sense. */
export function invalidOption(name: string, expected: string, got: unknown): TxfeedError {
  return new UsageError(`${name} must be ${expected}; got ${String(got)}`);
}

/** Says which option is unknown, with the nearest known name; undefined if all are known. */
export function describeUnknownOption(
  options: object,
  known: readonly string[],
): string | undefined {
  const name = Object.keys(options).find((each) => !known.includes(each));
  if (name === undefined) return undefined;
  const advice = suggestion(name, known, `known options: ${known.join(", ")}`);
  return `unknown option "${name}"; ${advice}`;
}
