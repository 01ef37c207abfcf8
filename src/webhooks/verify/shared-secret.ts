import type { Verify } from "../request.ts";
import { digestOf, isSame } from "./constant-time.ts";
import { checkHeaderName, readSecrets } from "./secrets.ts";

/** What HTTP carries unchanged in a header: it drops spaces around, and the rest is no ASCII. */
const HEADER_TEXT = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Where the secret comes, and what it is. */
export interface SharedSecretOptions {
  /** The header's name, in any case. */
  readonly header: string;
  /** The header's whole value; several while one is replaced by another. */
  readonly secret: string | readonly string[];
}

/**
 * Takes a delivery for genuine that carries a secret in a header. Neither how much of a guess is
 * right nor how long the secret is can be told from the time that a comparison takes.
 *
 * @returns the check. Throws a TxfeedError `usage` for a header or a secret that can't be one.
 */
export function sharedSecret({ header, secret }: SharedSecretOptions): Verify {
  checkHeaderName("sharedSecret", header);
  const secrets = readSecrets("sharedSecret", secret, {
    read: (text) => (HEADER_TEXT.test(text) ? text : null),
    words: "printable ASCII with no space around, as a header carries nothing else",
  });
  return async (request) => {
    const received = request.headers.get(header);
    if (received === null) return false;
    const digest = await digestOf(received);
    const digests = await Promise.all(secrets.map(digestOf));
    return digests.map((known) => isSame(known, digest)).includes(true);
  };
}
