import type { RecordedRequest } from "./exchange.ts";

/** No answer of the interface comes near it: a page holds at most 100 items. */
const MOST_BYTES = 4_000_000;

/** An answer, read to its end. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request, and reads the answer to its end, within a time and up to a size, as it is
 * unpacked.
 *
 * @returns Rejects as fetch does, with a TimeoutError when the time is over, and with a RangeError
 * where the answer is larger than it may be.
 */
export async function fetchWhole(
  { url, ...init }: RecordedRequest,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<WholeAnswer> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
  });
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await readWhole(response) };
}

async function readWhole({ body }: Response): Promise<string> {
  if (!body) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new RangeError(`the answer has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
