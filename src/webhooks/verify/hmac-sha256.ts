import { UsageError } from "../../errors.ts";
import { assertKnownOptions } from "../../options.ts";
import type { Verify } from "../request.ts";
import { unverified } from "../verification.ts";
import { isEqualText } from "./constant-time.ts";
import { toBase64, toHex } from "./encoding.ts";
import { createHmacSigner } from "./hmac.ts";
import { requiredHeader, WRONG_SIGNATURE } from "./refusals.ts";
import { checkHeaderName, readSecrets } from "./secrets.ts";
import { readTemplate } from "./signed-template.ts";

const ENCODERS = new Map([
  ["hex", toHex],
  ["base64", toBase64],
]);

/** Where the signature comes, and how it is made. */
export interface HmacSha256Options {
  /** The header's name, in any case. */
  readonly header: string;
  /** The key, as text; several during a rotation. */
  readonly secret: string | readonly string[];
  /** How the signature is written. Hexadecimal may come in either case. */
  readonly encoding: "hex" | "base64";
  /** What comes before the signature, such as `sha256=`; default: nothing. */
  readonly prefix?: string;
  /**
   * What the sender signs: text with the names of headers, and `body`, in braces. Examples:
   * `{webhook-event-type}.{body}`, `{webhook-id}.{webhook-timestamp}.{body}`. Default: `{body}`,
   * which leaves the event's name unsigned: anyone who can intercept a delivery can pass it off as
   * another event. Have the sender sign `webhook-event-type` if it can.
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
 * Verifies an HMAC-SHA256 signature in a header. What it covers, `signed` says. If it covers
 * `webhook-id`, that id identifies duplicates.
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
  const encode = ENCODERS.get(encoding);
  if (!encode) {
    throw new UsageError(`hmacSha256: encoding must be hex or base64, not "${encoding}"`);
  }
  const encoder = new TextEncoder();
  const signers = readSecrets("hmacSha256", secret, {
    read: (text) => createHmacSigner(encoder.encode(text)),
    words: "text",
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
    const genuine = await Promise.all(signers.map((sign) => sign(message)));
    if (!genuine.map((bytes) => isEqualText(encode(bytes), signature)).includes(true)) {
      throw unverified(WRONG_SIGNATURE);
    }
    return isIdSigned ? { verified: true, deliveryId: request.headers.get("webhook-id") } : true;
  };
}
