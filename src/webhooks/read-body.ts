import { reasonOf, TxfeedError } from "../errors.ts";

/**
 * Reads the body of a fetch `Request`, as it came, up to a limit.
 *
 * A body that says by its `content-length` that it is too large is refused before anything is read
 * of it; one that turns out to be is cancelled there.
 *
 * @returns Resolves to the bytes, empty where there is no body, or to `too-large`. Rejects with a
 * TxfeedError: `body-consumed` where something read the body before, `body-incomplete` where it
 * broke off.
 */
export async function readBody(
  request: Request,
  limitBytes: number,
): Promise<Uint8Array | "too-large"> {
  if (request.bodyUsed || request.body?.locked) throw bodyConsumed("something");
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  if (Number(request.headers.get("content-length")) > limitBytes) return refuse(reader);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return joined(chunks, length);
      length += value.length;
      if (length > limitBytes) return refuse(reader);
      chunks.push(value);
    }
  } catch (error) {
    const message = `the body broke off after ${length} bytes: ${reasonOf(error)}`;
    throw new TxfeedError("body-incomplete", message, { cause: error });
  }
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
  return new TxfeedError("body-consumed", message);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
