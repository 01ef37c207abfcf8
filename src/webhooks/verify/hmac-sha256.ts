import { TxfeedError } from "../../errors.ts";
import type { Verify } from "../request.ts";
import { isSameText } from "./constant-time.ts";
import { toBase64, toHex } from "./encoding.ts";
import { hmacOf } from "./hmac.ts";
import { checkHeaderName, readSecrets } from "./secrets.ts";

const ENCODERS = new Map([
  ["hex", toHex],
  ["base64", toBase64],
]);

/** Where the signature comes, and how it is made. */
export interface HmacSha256Options {
  /** The header's name, in any case. */
  readonly header: string;
  /** The key, as text; several while one is replaced by another. */
  readonly secret: string | readonly string[];
  /** How the signature is written. Hexadecimal may come in either case. */
  readonly encoding: "hex" | "base64";
  /** What stands before the signature, such as `sha256=`; nothing unless set. */
  readonly prefix?: string;
}

/**
 * Takes a delivery for genuine whose body is signed by HMAC-SHA256, the signature in a header. It
 * knows no time: who records a delivery can send it again. Standard Webhooks is better where the
 * sender can do it.
 *
 * @returns the check. Throws a TxfeedError `usage` for a header, a secret or an encoding that
 * can't be one.
 */
export function hmacSha256(options: HmacSha256Options): Verify {
  const { header, secret, encoding, prefix = "" } = options;
  checkHeaderName("hmacSha256", header);
  const encode = ENCODERS.get(encoding);
  if (!encode) {
    throw new TxfeedError("usage", `hmacSha256: encoding must be hex or base64, not "${encoding}"`);
  }
  const encoder = new TextEncoder();
  const signers = readSecrets("hmacSha256", secret, {
    read: (text) => hmacOf(encoder.encode(text)),
    words: "text",
  });
  return async (request, rawBody) => {
    const received = request.headers.get(header);
    if (!received?.startsWith(prefix)) return false;
    const text = received.slice(prefix.length);
    const signature = encoding === "hex" ? text.toLowerCase() : text;
    const genuine = await Promise.all(signers.map((sign) => sign(rawBody)));
    return genuine.map((bytes) => isSameText(encode(bytes), signature)).includes(true);
  };
}
