import { createHmac } from "node:crypto";
import type { EventName } from "../../../generated/events.ts";

/** A message to a receiver. */
export interface Message {
  /** The id of the delivery. */
  readonly id: string;
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly name: EventName;
  /** The body of the log, byte for byte. */
  readonly body: string;
}

/**
 * The headers of an attempt: WHK-01, and a signature by Standard Webhooks.
 *
 * The timestamp is the system's time, not the sandbox's: receivers detect replays by their own
 * clock, and would refuse the deliveries of a sandbox whose clock was advanced.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function headersOf({ id, secret, name, body }: Message): Record<string, string | number> {
  const timestamp = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "webhook-event-type": name,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

/** The prefix of a secret. */
export const SECRET_PREFIX = "whsec_";
