import { TxfeedError } from "../../errors.ts";
import type { Verify } from "../request.ts";
import { isSameText } from "./constant-time.ts";
import { fromBase64, toBase64 } from "./encoding.ts";
import { hmacOf, type Sign } from "./hmac.ts";
import { readSecrets } from "./secrets.ts";

const SECRET_PREFIX = "whsec_";
/** The symmetric scheme, HMAC-SHA256; signatures of other versions are ignored. */
const VERSION_PREFIX = "v1,";

/** What signatures by Standard Webhooks are checked against. */
export interface StandardWebhooksOptions {
  /** In base64, with or without `whsec_` before it; several while one is replaced by another. */
  readonly secrets: string | readonly string[];
  /** How far from now a delivery's timestamp may be, either way; 300 unless set. */
  readonly toleranceSeconds?: number;
  /** The time, in milliseconds since 1970; the system's unless set. */
  readonly now?: () => number;
}

/**
 * Takes a delivery for genuine that is signed as Standard Webhooks has it: `webhook-signature` has,
 * among others, `v1,` and the base64 of an HMAC-SHA256 of id, timestamp and body, and
 * `webhook-timestamp` is near enough.
 *
 * @returns the check. Throws a TxfeedError `usage` for a secret that is empty or not base64, and
 * for a tolerance that is no number of seconds.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function standardWebhooks(options: StandardWebhooksOptions): Verify {
  const { secrets, toleranceSeconds = 300, now = Date.now } = options;
  if (!(toleranceSeconds >= 0)) {
    const message = `standardWebhooks: toleranceSeconds must be 0 or more, not ${toleranceSeconds}`;
    throw new TxfeedError("usage", message);
  }
  const signers = readSecrets("standardWebhooks", secrets, {
    read: signerOf,
    words: "base64 with padding, with or without whsec_ before it, of at least one byte",
  });

  return async ({ headers }, rawBody) => {
    const id = headers.get("webhook-id");
    const timestamp = headers.get("webhook-timestamp");
    const list = headers.get("webhook-signature");
    if (!id || !timestamp || !list) return false;
    // Signatures are separated by spaces: a comma and a space is where two headers were joined.
    if (list.includes(", ")) return false;
    if (!/^\d{1,15}$/.test(timestamp)) return false;
    const ageSeconds = Math.floor(now() / 1000) - Number(timestamp);
    if (Math.abs(ageSeconds) > toleranceSeconds) return false;

    const message = signedMessage(id, timestamp, rawBody);
    const signatures = list.split(" ").filter((signature) => signature.startsWith(VERSION_PREFIX));
    const genuine = await Promise.all(signers.map((sign) => sign(message)));
    return genuine
      .map((bytes) => VERSION_PREFIX + toBase64(bytes))
      .flatMap((known) => signatures.map((signature) => isSameText(known, signature)))
      .includes(true);
  };
}

function signerOf(secret: string): Sign | null {
  const isPrefixed = secret.startsWith(SECRET_PREFIX);
  const key = fromBase64(isPrefixed ? secret.slice(SECRET_PREFIX.length) : secret);
  return key?.length ? hmacOf(key) : null;
}

function signedMessage(id: string, timestamp: string, rawBody: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const message = new Uint8Array(head.length + rawBody.length);
  message.set(head);
  message.set(rawBody, head.length);
  return message;
}
