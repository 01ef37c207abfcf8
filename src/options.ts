import { TxfeedError } from "./errors.ts";
import { nearestTo } from "./nearest.ts";

/**
 * Throws if options are not an object or have a name that is not known. JavaScript ignores such a
 * name, and a mistyped option would then have no effect. `undefined` is a valid value.
 *
 * @param what The function that takes the options, for the message: `createReceiver`.
 * @throws {TxfeedError} `usage`, with the nearest known name.
 * @example refuseUnknownOptions("createReceiver", options, ["on", "verify"]);
 */
export function refuseUnknownOptions(
  what: string,
  options: object,
  known: readonly string[],
): void {
  // From JavaScript, anything may arrive here.
  if (typeof options !== "object" || options === null) {
    throw new TxfeedError("usage", `${what}: options must be an object; got ${options}`);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const nearest = nearestTo(name, known);
    const advice = nearest ? `did you mean "${nearest}"?` : `known options: ${known.join(", ")}`;
    throw new TxfeedError("usage", `${what}: unknown option "${name}"; ${advice}`);
  }
}
