import { UsageError } from "../../errors.ts";

/** RFC 9110, 5.6.2: what a header's name is made of. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/** Refuses, with a TxfeedError `usage`, a name that no header can have. */
export function checkHeaderName(preset: string, header: string): void {
  if (TOKEN.test(header)) return;
  throw new UsageError(`${preset}: "${header}" is no header name; use one like x-secret`);
}

/** What a preset makes of a secret. */
export interface SecretRule<T> {
  /** Reads a secret that is not empty; null where it is none of this kind. */
  readonly read: (secret: string) => T | null;
  /** What a secret has to be, for people. */
  readonly words: string;
}

/**
 * Reads the secrets that a preset was given. Messages count them and never show one.
 *
 * @returns what the rule makes of each. Throws a TxfeedError `usage` where there is none, or one
 * is empty or not by the rule.
 */
export function readSecrets<T>(
  preset: string,
  secrets: string | readonly string[],
  { read, words }: SecretRule<T>,
): readonly T[] {
  const list = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) throw new UsageError(`${preset}: no secret given; give one`);
  return list.map((secret, index) => {
    const which = list.length === 1 ? "the secret" : `secret ${index + 1} of ${list.length}`;
    // From an environment variable that is not set, undefined arrives here whatever the types say.
    if (!secret) {
      throw new UsageError(`${preset}: ${which} is empty; is its variable set?`);
    }
    const known = read(secret);
    if (known === null) throw new UsageError(`${preset}: ${which} must be ${words}`);
    return known;
  });
}
