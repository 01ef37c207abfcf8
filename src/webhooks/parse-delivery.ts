import { hasCode, reasonOf } from "../errors.ts";
import type { ReceiverOptions } from "./receiver-options.ts";
import {
  type DeliveryRequest,
  type DeliveryResponse,
  eventNameIn,
  quoted,
  type Receive,
} from "./request.ts";
import { encodedBody, type Reply, responses, tooLarge } from "./responses.ts";
import { verifiedId } from "./verification.ts";

/** A delivery whose body is JSON, not validated yet. */
export interface ParsedDelivery {
  /** The sender's id of the delivery, if the signature covers it. */
  readonly deliveryId: string | undefined;
  /** The value of the header `webhook-event-type`. */
  readonly event: string;
  /** The body as text. */
  readonly text: string;
  /** The body as JSON. */
  readonly body: unknown;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** The length of the body. */
  readonly bytes: number;
}

/** The default of `limitBytes`. */
export const DEFAULT_LIMIT_BYTES = 1_048_576;

// JSON is UTF-8 (RFC 8259, 8.1). Replacing invalid bytes would change what was verified. The
// decoder skips a byte order mark.
const utf8 = new TextDecoder("utf-8", { fatal: true });

const JSON_TYPE = /^\s*application\/(?:json|[\w.!#$&^+-]+\+json)\s*(?:;|$)/i;

/**
 * Whether a content type is JSON, with any parameters.
 *
 * @see RFC 6839, 3.1
 */
export function isJson(contentType: string | null): boolean {
  return contentType !== null && JSON_TYPE.test(contentType);
}

/** The quoted `content-encoding` of a body that is not sent as it is; undefined for others. */
export function contentCoding({ headers }: Pick<DeliveryRequest, "headers">): string | undefined {
  const codings = headers.get("content-encoding") ?? "";
  const isPlain = codings.split(",").every((each) => /^(identity)?$/i.test(each.trim()));
  return isPlain ? undefined : quoted(codings);
}

/**
 * Parses a delivery: checks its method, content type and coding, reads the body, verifies its
 * bytes, and then reads the event's name and the JSON.
 *
 * @returns the delivery, or the reply that refuses it.
 * @throws {TxfeedError} `body-consumed` if a framework read the body before: no delivery could
 * succeed then.
 */
export async function parseDelivery(
  { request, readBody }: Parameters<Receive>[0],
  {
    limitBytes = DEFAULT_LIMIT_BYTES,
    verify,
    now = Date.now,
  }: Pick<ReceiverOptions, "limitBytes" | "verify" | "now">,
): Promise<ParsedDelivery | Reply> {
  const { method, headers } = request;
  if (method !== "POST") {
    return refused(responses.notPost, `the method is ${quoted(method)}, not POST`);
  }
  const type = headers.get("content-type");
  if (!isJson(type)) {
    const how = type === null ? "missing" : `${quoted(type)}, not JSON`;
    return refused(responses.notJsonByType, `the content type is ${how}`);
  }
  const coding = contentCoding(request);
  if (coding !== undefined) {
    return refused(encodedBody(coding), `the content-encoding is ${coding}, not identity`);
  }
  let rawBody: Uint8Array | "too-large";
  try {
    rawBody = await readBody(limitBytes);
  } catch (error) {
    if (hasCode(error, "body-consumed")) throw error;
    return { ...refused(responses.brokenOff, reasonOf(error)), error };
  }
  if (rawBody === "too-large") {
    return refused(tooLarge(limitBytes), `the body has more than ${limitBytes} bytes`);
  }
  try {
    const deliveryId = verify && verifiedId(await verify(request, rawBody), request);
    return parse(request, rawBody, deliveryId, now);
  } catch (error) {
    if (hasCode(error, "unverified")) {
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
): ParsedDelivery | Reply {
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
    const body: unknown = JSON.parse(text);
    return { deliveryId, event, text, body, receivedAt, bytes: rawBody.length };
  } catch {
    return { ...refused(responses.notJson, "the body is not JSON"), event };
  }
}

function refused(response: DeliveryResponse, reason: string): Reply {
  return { event: null, outcome: "refused", response, reason };
}
