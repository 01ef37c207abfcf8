import type { RecordedRequest } from "./exchange.ts";

/** No answer of the interface comes near it: a page holds at most 100 items. */
const MOST_BYTES = 4_000_000;

/** An answer, read to its end. */
export interface BufferedResponse {
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
export async function fetchBuffered(
  { url, ...init }: RecordedRequest,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<BufferedResponse> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  const send = () => fetch(url, { ...init, redirect: "manual", signal: either });
  const response = await send().catch((error) => {
    if (init.method !== "GET" || !isClosed(error)) throw error;
    return send();
  });
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await readWhole(response) };
}

/**
 * Whether the connection was closed instead of an answer. A server may close one that was kept in
 * the moment in which it is used again: what changes nothing may be sent anew.
 *
 * @see RFC 9110, 9.2.2
 */
function isClosed(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET";
}

async function readWhole({ body }: Response): Promise<string> {
  if (!body) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new RangeError(`the response has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
