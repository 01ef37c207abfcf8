import { UsageError } from "../../errors.ts";

/** The syntax of a header's name (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/**
 * Checks a header's name.
 *
 * @throws {TxfeedError} `usage` if the name is not valid.
 */
export function checkHeaderName(preset: string, header: string): void {
  if (TOKEN.test(header)) return;
  const message = `${preset}: "${header}" is not a header name; use one like x-secret`;
  throw new UsageError(message);
}

/**
 * Parses the secrets of a preset. Messages number them and never show one.
 *
 * @param format The format, for the message: "the secret must be ...".
 * @param read Parses a secret that is not empty; null if its format is wrong.
 * @throws {TxfeedError} `usage` if there is no secret, or one is empty or has a wrong format.
 */
export function readSecrets<T>(
  preset: string,
  secrets: string | readonly string[],
  format: string,
  read: (secret: string) => T | null,
): readonly T[] {
  const list = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) throw new UsageError(`${preset}: no secret given; give one`);
  return list.map((secret, index) => {
    const label = list.length === 1 ? "the secret" : `secret ${index + 1} of ${list.length}`;
    // An unset environment variable is undefined, although its type is string.
    if (!secret) {
      throw new UsageError(`${preset}: ${label} is empty; is its variable set?`);
    }
    const parsed = typeof secret === "string" ? read(secret) : null;
    if (parsed === null) throw new UsageError(`${preset}: ${label} must be ${format}`);
    return parsed;
  });
}
