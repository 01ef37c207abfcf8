import { assertKnownOptions } from "../../options.ts";
import { isEqualText, sha256Hex } from "../crypto.ts";
import { unverified, type Verify } from "../verification.ts";
import { checkHeaderName, readSecrets } from "./secrets.ts";

/** The values that HTTP transports unchanged: ASCII without surrounding spaces. */
const HEADER_TEXT = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** The options of `sharedSecret`. */
export interface SharedSecretOptions {
  /** The name of the header with the secret, in any case. */
  readonly header: string;
  /** The whole value of the header; several during a rotation. */
  readonly secret: string | readonly string[];
}

const OPTIONS: (keyof SharedSecretOptions)[] = ["header", "secret"];

/**
 * Verifies a secret in a header, in a time that reveals neither the secret nor its length.
 *
 * It does not protect the delivery itself: anyone who sees one delivery can send any other. Use a
 * signature if the sender supports one.
 *
 * @returns the verifier. It rejects with a TxfeedError `unverified` that says why.
 * @throws {TxfeedError} `usage` for an invalid header or secret, or an unknown option.
 * @example sharedSecret({ header: "x-webhook-secret", secret: process.env.WEBHOOK_SECRET })
 */
export function sharedSecret(options: SharedSecretOptions): Verify {
  assertKnownOptions("sharedSecret", options, OPTIONS);
  const { header, secret } = options;
  checkHeaderName("sharedSecret", header);
  const format =
    "printable ASCII without surrounding spaces, because a header can't carry other text";
  const secrets = readSecrets("sharedSecret", secret, format, (text) =>
    HEADER_TEXT.test(text) ? text : null,
  );
  return async (request) => {
    const received = request.headers.get(header);
    if (received === null) throw unverified(`the header ${header} is missing`);
    // Digests have one length, so comparing them does not reveal that of a secret.
    const [digest = "", ...digests] = await Promise.all([received, ...secrets].map(sha256Hex));
    if (digests.map((known) => isEqualText(known, digest)).includes(true)) return true;
    throw unverified(`the secret in the header ${header} is wrong`);
  };
}
