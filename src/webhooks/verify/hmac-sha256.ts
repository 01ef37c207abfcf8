import { UsageError } from "../../errors.ts";
import { assertKnownOptions } from "../../options.ts";
import { createHmacSigner, type Encoding, isSignature } from "../crypto.ts";
import { type DeliveryRequest, eventNameIn } from "../request.ts";
import { requiredHeader, unverified, type Verify, WRONG_SIGNATURE } from "../verification.ts";
import { checkHeaderName, readSecrets } from "./secrets.ts";

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

const OPTIONS: (keyof HmacSha256Options)[] = ["header", "secret", "encoding", "prefix", "signed"];

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
  const format = "text without white space at its ends";
  const signers = readSecrets("hmacSha256", secret, format, (text) =>
    // A file or a shell may have added a line break, which the sender's key does not have.
    text === text.trim() ? createHmacSigner(encoder.encode(text)) : null,
  );
  const parts = readTemplate(signed);
  const isIdSigned = parts.some(({ name }) => name === "webhook-id");
  return async (request, rawBody) => {
    const received = requiredHeader(request, header);
    if (!received.startsWith(prefix)) {
      throw unverified(`the header ${header} does not start with ${prefix}`);
    }
    const encoded = received.slice(prefix.length);
    const signature = encoding === "hex" ? encoded.toLowerCase() : encoded;
    const message = parts.map(
      ({ text, name }) => text ?? (name === "body" ? rawBody : headerText(request, name)),
    );
    if (!(await isSignature([signature], { signers, message, encoding }))) {
      throw unverified(WRONG_SIGNATURE);
    }
    return isIdSigned ? { verified: true, deliveryId: request.headers.get("webhook-id") } : true;
  };
}

/**
 * Parses a template such as `{webhook-event-type}.{body}`.
 *
 * @returns its texts and the names in braces, in lower case.
 * @throws {TxfeedError} `usage` if it does not contain `{body}` exactly once, or has an invalid
 * header name in braces.
 */
function readTemplate(template: string) {
  // With a capture group, `split` returns text and names alternately.
  const parts = template
    .split(/\{([^{}]*)\}/)
    .map((part, at) => (at % 2 === 0 ? { text: part } : { name: part.toLowerCase() }));
  const names = parts.flatMap(({ name }) => (name === undefined ? [] : [name]));
  if (names.filter((name) => name === "body").length !== 1) {
    const got = JSON.stringify(template);
    throw new UsageError(`hmacSha256: signed must contain {body} once; got ${got}`);
  }
  for (const name of names) checkHeaderName("hmacSha256", name);
  return parts;
}

/** Returns a header's value; for `webhook-event-type`, the event name that the receiver reads. */
function headerText(request: DeliveryRequest, header: string): string {
  if (header !== "webhook-event-type") return requiredHeader(request, header);
  const name = eventNameIn(request);
  if (name === "") throw unverified("the header webhook-event-type does not name one event");
  return name;
}
