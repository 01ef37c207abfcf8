import { UsageError } from "../../errors.ts";
import { assertKnownOptions } from "../../options.ts";
import { createHmacSigner, type Encoding, isSignature } from "../crypto.ts";
import { requiredHeader, unverified, type Verify } from "../verification.ts";
import { checkHeaderName, readSecrets } from "./secrets.ts";
import { readTemplate, WRONG_SIGNATURE } from "./signed-template.ts";

/** The options of `hmacSha256`. */
export interface HmacSha256Options {
  /** The name of the header with the signature, in any case. */
  readonly header: string;
  /** The key as text; several during a rotation. */
  readonly secret: string | readonly string[];
  /** The encoding of the signature. Hexadecimal may be in either case. */
  readonly encoding: Encoding;
  /** The text before the signature, such as `sha256=`; default: none. */
  readonly prefix?: string;
  /**
   * The message that the sender signs: text with `body` and the names of headers in braces.
   * Examples: `{webhook-event-type}.{body}`, `{webhook-id}.{webhook-timestamp}.{body}`. The default
   * `{body}` leaves the event's name unsigned: anyone who can intercept a delivery can pass it off
   * as another event. Have the sender sign `webhook-event-type` if it can.
   */
  readonly signed?: string;
}

const OPTIONS = Object.keys({
  header: 0,
  secret: 0,
  encoding: 0,
  prefix: 0,
  signed: 0,
} satisfies Record<keyof HmacSha256Options, 0>);

/**
 * Verifies an HMAC-SHA256 signature in a header. If the signature covers `webhook-id`, duplicates
 * are detected by that id.
 *
 * It does not protect against replay, even if a timestamp is signed. Prefer Standard Webhooks if
 * the sender supports it.
 *
 * @returns the verifier. It rejects with a TxfeedError `unverified` that says why.
 * @throws {TxfeedError} `usage` for an invalid header, secret, encoding or template, or an unknown
 * option.
 * @example hmacSha256({ header: "x-signature", secret, encoding: "hex", prefix: "sha256=" })
 */
export function hmacSha256(options: HmacSha256Options): Verify {
  assertKnownOptions("hmacSha256", options, OPTIONS);
  const { header, secret, encoding, prefix = "", signed = "{body}" } = options;
  checkHeaderName("hmacSha256", header);
  if (encoding !== "hex" && encoding !== "base64") {
    throw new UsageError(`hmacSha256: encoding must be hex or base64; got "${encoding}"`);
  }
  const encoder = new TextEncoder();
  const signers = readSecrets("hmacSha256", secret, {
    // A file or a shell may have added a line break, which the sender's key does not have.
    read: (text) => (text === text.trim() ? createHmacSigner(encoder.encode(text)) : null),
    format: "text without white space at its ends",
  });
  const template = readTemplate(signed);
  const isIdSigned = template.headers.includes("webhook-id");
  return async (request, rawBody) => {
    const received = requiredHeader(request, header);
    if (!received.startsWith(prefix)) {
      throw unverified(`the header ${header} does not start with ${prefix}`);
    }
    const text = received.slice(prefix.length);
    const signature = encoding === "hex" ? text.toLowerCase() : text;
    const message = template.fill(request, rawBody);
    if (!(await isSignature([signature], { signers, message, encoding }))) {
      throw unverified(WRONG_SIGNATURE);
    }
    return isIdSigned ? { verified: true, deliveryId: request.headers.get("webhook-id") } : true;
  };
}
