import { assertDuration, assertKnownOptions } from "../../options.ts";
import { createHmacSigner, fromBase64, isSignature, type Sign } from "../crypto.ts";
import { quoted } from "../request.ts";
import { requiredHeader, unverified, type Verify, WRONG_SIGNATURE } from "../verification.ts";
import { readSecrets } from "./secrets.ts";

/** The version of HMAC-SHA256 signatures. Signatures of other versions are ignored. */
const VERSION_PREFIX = "v1,";

/** The options of `standardWebhooks`. */
export interface StandardWebhooksOptions {
  /**
   * The sender's secret in base64, with or without the prefix `whsec_`; several during a rotation.
   * All must be secrets of one sender. Two senders may use the same `webhook-id`, so each needs its
   * own receiver and store.
   */
  readonly secrets: string | readonly string[];
  /** The largest accepted difference between a delivery's timestamp and now; default: 300. */
  readonly toleranceSeconds?: number;
  /** The clock, in milliseconds since 1970; default: `Date.now`. */
  readonly now?: () => number;
}

const OPTIONS: (keyof StandardWebhooksOptions)[] = ["secrets", "toleranceSeconds", "now"];

/**
 * Verifies a signature by Standard Webhooks: one entry of `webhook-signature` must be `v1,` and the
 * base64 of an HMAC-SHA256 of id, timestamp and body, and `webhook-timestamp` must be within the
 * tolerance.
 *
 * The signature covers `webhook-id`, so duplicates are detected by it, even under another event
 * name. The standard does not sign the name: anyone who can intercept a delivery can replace its
 * `webhook-event-type` by another event of the same shape, such as `transaction.updated` for
 * `transaction.created`, and the receiver can't detect it. TLS up to the receiver prevents this.
 *
 * @returns the verifier. It rejects with a TxfeedError `unverified` that says why.
 * @throws {TxfeedError} `usage` for a secret that is empty or not base64, a tolerance that is not a
 * whole number of seconds, or an unknown option.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @example standardWebhooks({ secrets: process.env.WEBHOOK_SECRET })
 */
export function standardWebhooks(options: StandardWebhooksOptions): Verify {
  assertKnownOptions("standardWebhooks", options, OPTIONS);
  const { secrets, toleranceSeconds = 300, now = Date.now } = options;
  assertDuration("standardWebhooks: toleranceSeconds", toleranceSeconds, 0);
  const format = "base64 with padding, of at least one byte, with or without the prefix whsec_";
  const signers = readSecrets("standardWebhooks", secrets, format, signerOf);

  return async (request, rawBody) => {
    const id = requiredHeader(request, "webhook-id");
    const timestamp = requiredHeader(request, "webhook-timestamp");
    const list = requiredHeader(request, "webhook-signature");
    // Signatures are separated by spaces; HTTP joins repeated headers with a comma and a space.
    if (list.includes(", ")) throw unverified("the header webhook-signature was sent twice");
    if (!/^\d{1,15}$/.test(timestamp)) {
      throw unverified(`webhook-timestamp is ${quoted(timestamp)}, not a number of seconds`);
    }
    const ageSeconds = Math.floor(now() / 1000) - Number(timestamp);
    if (Math.abs(ageSeconds) > toleranceSeconds) {
      const how = ageSeconds > 0 ? "old" : "in the future";
      const within = `the tolerance is ${toleranceSeconds} s`;
      throw unverified(`webhook-timestamp is ${Math.abs(ageSeconds)} s ${how}; ${within}`);
    }

    const signatures = list
      .split(" ")
      .filter((signature) => signature.startsWith(VERSION_PREFIX))
      .map((signature) => signature.slice(VERSION_PREFIX.length));
    if (signatures.length === 0) {
      throw unverified("webhook-signature has no signature of version v1");
    }
    const message = [`${id}.${timestamp}.`, rawBody];
    const isGenuine = await isSignature(signatures, { signers, message, encoding: "base64" });
    if (!isGenuine) throw unverified(WRONG_SIGNATURE);
    return { verified: true, deliveryId: id };
  };
}

function signerOf(secret: string): Sign | null {
  const key = fromBase64(secret.replace(/^whsec_/, ""));
  return key?.length ? createHmacSigner(key) : null;
}
