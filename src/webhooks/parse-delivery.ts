import { reasonOf, TxfeedError } from "../errors.ts";
import { eventNameIn } from "./event-name.ts";
import { isJson } from "./media-type.ts";
import { quoted } from "./quoted.ts";
import type { Outcome } from "./report.ts";
import type { DeliveryRequest, DeliveryResponse, Incoming, Verify } from "./request.ts";
import { responses, tooLarge } from "./responses.ts";
import { verifiedId } from "./verification.ts";

/** A delivery whose body is JSON; the JSON is still to be validated. */
export interface ParsedDelivery {
  /** The sender's id of the delivery, if `verify` says that the signature covers it. */
  readonly deliveryId: string | undefined;
  /** What the header `webhook-event-type` says. */
  readonly event: string;
  readonly text: string;
  readonly body: unknown;
  /** ISO 8601. */
  readonly receivedAt: string;
}

/** What a delivery came to, with its answer. */
export interface DeliveryResult {
  readonly event: string | null;
  readonly outcome: Outcome;
  readonly response: DeliveryResponse;
  /** Why it was not accepted. */
  readonly reason?: string;
  readonly error?: unknown;
}

/** What lets a delivery in. */
export interface ParseOptions {
  readonly limitBytes?: number;
  readonly verify?: Verify;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** The longest body unless another limit is set. */
export const DEFAULT_LIMIT_BYTES = 1_048_576;

// RFC 8259, 8.1: JSON is UTF-8. Guessing at broken bytes would change what was verified. A byte
// order mark is passed over, as the decoder does unless told.
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Takes a delivery in: method and content type before its body is read, verification before
 * anything looks at the bytes, then the event's name and the JSON.
 *
 * Rejects with the TxfeedError of `readBody` where a framework has read the body before: nothing
 * that is received can be right then.
 */
export async function parseDelivery(
  { request, readBody }: Incoming,
  { limitBytes = DEFAULT_LIMIT_BYTES, verify, now = Date.now }: ParseOptions,
): Promise<ParsedDelivery | DeliveryResult> {
  const { method, headers } = request;
  if (method !== "POST")
    return refused(responses.notPost, `the method is ${quoted(method)}, not POST`);
  const type = headers.get("content-type");
  if (!isJson(type)) {
    const how = type === null ? "missing" : `${quoted(type)}, not JSON`;
    return refused(responses.notJsonByType, `the content type is ${how}`);
  }
  let rawBody: Uint8Array | "too-large";
  try {
    rawBody = await readBody(limitBytes);
  } catch (error) {
    if (error instanceof TxfeedError && error.code !== "body-incomplete") throw error;
    return { ...refused(responses.brokenOff, reasonOf(error)), error };
  }
  if (rawBody === "too-large") {
    return refused(tooLarge(limitBytes), `the body has more than ${limitBytes} bytes`);
  }
  try {
    const deliveryId = verify && (await verifiedId(verify, request, rawBody));
    return parse(request, rawBody, deliveryId, now);
  } catch (error) {
    if (error instanceof TxfeedError && error.code === "unverified") {
      const { message: reason } = error;
      return { event: null, outcome: "unverified", response: responses.unverified, reason };
    }
    return { event: null, outcome: "failed", response: responses.failed, error };
  }
}

function parse(
  request: DeliveryRequest,
  rawBody: Uint8Array,
  deliveryId: string | undefined,
  now: () => number,
): ParsedDelivery | DeliveryResult {
  const event = eventNameIn(request);
  if (!event) {
    const header = request.headers.get("webhook-event-type");
    const how = header === null ? "is missing" : `is ${quoted(header)}, not one event`;
    return refused(responses.notNamed, `the header webhook-event-type ${how}`);
  }
  const receivedAt = new Date(now()).toISOString();
  let text: string;
  try {
    text = utf8.decode(rawBody);
  } catch {
    return { ...refused(responses.notUtf8, "the body is not UTF-8"), event };
  }
  try {
    return { deliveryId, event, text, body: JSON.parse(text), receivedAt };
  } catch {
    return { ...refused(responses.notJson, "the body is not JSON"), event };
  }
}

function refused(answer: DeliveryResponse, reason: string): DeliveryResult {
  return { event: null, outcome: "refused", response: answer, reason };
}
