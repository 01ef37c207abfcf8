import { assertKnownOptions } from "../../options.ts";
import type { Verify } from "../request.ts";
import { unverified } from "../verification.ts";
import { isEqual, sha256 } from "./constant-time.ts";
import { checkHeaderName, readSecrets } from "./secrets.ts";

/** What HTTP carries unchanged in a header: it drops spaces around, and the rest is no ASCII. */
const HEADER_TEXT = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Where the secret comes, and what it is. */
export interface SharedSecretOptions {
  /** The header's name, in any case. */
  readonly header: string;
  /** The header's whole value; several during a rotation. */
  readonly secret: string | readonly string[];
}

const OPTIONS = Object.keys({ header: 0, secret: 0 } satisfies Record<
  keyof SharedSecretOptions,
  0
>);

/**
 * Verifies a secret in a header. The time of a comparison shows neither how much of a guess is
 * right nor how long the secret is.
 *
 * It protects nothing of the delivery itself: anyone who sees one delivery can send any other. Use
 * a signature if the sender can make one.
 *
 * @returns the verifier. It rejects with a TxfeedError `unverified` that says why.
 * @throws {TxfeedError} `usage` for an invalid header or secret, or an unknown option.
 * @example sharedSecret({ header: "x-webhook-secret", secret: process.env.WEBHOOK_SECRET })
 */
export function sharedSecret(options: SharedSecretOptions): Verify {
  assertKnownOptions("sharedSecret", options, OPTIONS);
  const { header, secret } = options;
  checkHeaderName("sharedSecret", header);
  const secrets = readSecrets("sharedSecret", secret, {
    read: (text) => (HEADER_TEXT.test(text) ? text : null),
    words: "printable ASCII with no space around, as a header carries nothing else",
  });
  return async (request) => {
    const received = request.headers.get(header);
    if (received === null) throw unverified(`the header ${header} is missing`);
    const digest = await sha256(received);
    const digests = await Promise.all(secrets.map(sha256));
    if (digests.map((known) => isEqual(known, digest)).includes(true)) return true;
    throw unverified(`the secret in the header ${header} is wrong`);
  };
}
