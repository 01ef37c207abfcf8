import {
  BodyConsumedError,
  BodyIncompleteError,
  hasCode,
  reasonOf,
  type TxfeedError,
} from "../errors.ts";
import { assertDuration, assertKnownOptions } from "../options.ts";
import { joinBytes } from "./crypto.ts";
import type { Receive } from "./request.ts";

/** The options of every adapter that reads bodies. */
export interface BodyOptions {
  /**
   * The time limit for a delivery's body, in milliseconds; default: 10,000. A body that takes
   * longer gets a 408.
   */
  readonly bodyTimeoutMs?: number;
}

const BODY_TIMEOUT_MS = 10_000;

/**
 * Checks the options of an adapter.
 *
 * @param name The function that creates the handler.
 * @param more The names of its options besides those of every adapter.
 * @returns the time limit for a body.
 * @throws {TxfeedError} `usage` if an option is unknown, or the time limit is not a duration.
 */
export function bodyTimeoutOf(
  name: string,
  options: BodyOptions,
  more: readonly string[] = [],
): number {
  assertKnownOptions(name, options, ["bodyTimeoutMs" satisfies keyof BodyOptions, ...more]);
  const { bodyTimeoutMs = BODY_TIMEOUT_MS } = options;
  assertDuration(`${name}: bodyTimeoutMs`, bodyTimeoutMs);
  return bodyTimeoutMs;
}

/** Receives a delivery as a fetch `Request`. */
export async function receiveRequest(
  receive: Receive,
  request: Request,
  bodyTimeoutMs?: number,
): Promise<Response> {
  const { status, headers, body } = await receive({
    request,
    readBody: (limitBytes) => readBody(request, limitBytes, bodyTimeoutMs),
    isGone: () => request.signal.aborted,
  });
  // A 204 must not have a body, not even an empty one.
  return new Response(body || null, { status, headers });
}

/**
 * Reads the body of a fetch `Request`, within a size and a time.
 *
 * A body whose `content-length` exceeds the limit is refused unread; one that turns out to be
 * longer is cancelled.
 *
 * @returns the bytes, or `too-large`. No body is zero bytes.
 * @throws {TxfeedError} `body-consumed` if the body was read before, `body-incomplete` if it broke
 * off or took too long.
 */
export async function readBody(
  request: Request,
  limitBytes: number,
  timeoutMs: number = BODY_TIMEOUT_MS,
): Promise<Uint8Array | "too-large"> {
  if (request.bodyUsed || request.body?.locked) throw bodyConsumed("something");
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  if (Number(request.headers.get("content-length")) > limitBytes) return refuse(reader);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isLate = false;
  // A timer per body, because on some platforms a timer belongs to the request that started it.
  const timer = setTimeout(() => {
    isLate = true;
    refuse(reader);
  }, timeoutMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) throw incomplete(`did not come in time, after ${length} bytes`);
      if (done) return joinBytes(chunks);
      length += value.length;
      if (length > limitBytes) return refuse(reader);
      chunks.push(value);
    }
  } catch (error) {
    if (hasCode(error, "body-incomplete")) throw error;
    throw incomplete(`broke off after ${length} bytes: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function incomplete(how: string, options?: ErrorOptions): TxfeedError {
  return new BodyIncompleteError(`the body ${how}`, options);
}

/** Cancels the rest of a body. */
function refuse(reader: ReadableStreamDefaultReader): "too-large" {
  // Not awaited: the response does not depend on it.
  reader.cancel().catch(() => {});
  return "too-large";
}

/**
 * The error for a body that was read before.
 *
 * @param culprit What usually reads bodies in this kind of server, for the message.
 */
export function bodyConsumed(culprit: string): TxfeedError {
  const advice = "mount the receiver before it, or exclude the receiver's path from it";
  const message = `${culprit} read the body before the receiver: ${advice}`;
  return new BodyConsumedError(message);
}
