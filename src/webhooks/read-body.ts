import { BodyConsumedError, BodyIncompleteError, reasonOf, TxfeedError } from "../errors.ts";
import { joinBytes } from "./bytes.ts";

/** How long a body may take to come, by default. */
export const BODY_TIMEOUT_MS = 10_000;

/**
 * Reads the body of a fetch `Request`, as it came, up to a limit and within a time.
 *
 * A body that says by its `content-length` that it is too large is refused before anything is read
 * of it; one that turns out to be is cancelled there.
 *
 * @returns Resolves to the bytes, empty where there is no body, or to `too-large`. Rejects with a
 * TxfeedError: `body-consumed` if something read the body before, `body-incomplete` if it broke
 * off or took longer than allowed.
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
  // One timer each: on some platforms a timer belongs to the request that started it.
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
    if (error instanceof TxfeedError) throw error;
    throw incomplete(`broke off after ${length} bytes: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function incomplete(how: string, options?: ErrorOptions): TxfeedError {
  return new BodyIncompleteError(`the body ${how}`, options);
}

/** Tells the platform that nobody reads on, so that it need not take in the rest. */
function refuse(reader: ReadableStreamDefaultReader): "too-large" {
  // Not waited for: what becomes of it changes nothing of the answer.
  reader.cancel().catch(() => {});
  return "too-large";
}

/**
 * Makes the error for a body that is gone.
 *
 * @param culprit What reads bodies in this kind of server, for people.
 */
export function bodyConsumed(culprit: string): TxfeedError {
  const advice = "mount the receiver before it, or exclude the receiver's path from it";
  const message = `${culprit} read the body before the receiver: ${advice}`;
  return new BodyConsumedError(message);
}
