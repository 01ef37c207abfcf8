import type { RecordedRequest } from "./exchange.ts";

/** Maximum size of a response. Pages of the interface are much smaller: at most 100 items. */
const MAX_BYTES = 4_000_000;

/** A response whose body has been read completely. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request and reads the whole response, within a timeout and a limit for its decompressed
 * size.
 *
 * @returns Rejects as `fetch` does, with a TimeoutError after `deadlineMs`, and with a RangeError
 * if the response is too large.
 */
export async function fetchBuffered(
  { url, ...init }: RecordedRequest,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<BufferedResponse> {
  const signals = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  const send = () => fetch(url, { ...init, redirect: "manual", signal: signals });
  const response = await send().catch((error) => {
    if (init.method !== "GET" || !isClosed(error)) throw error;
    return send();
  });
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await readWhole(response) };
}

/**
 * Whether the connection was closed without a response. A server may close a keep-alive connection
 * while it is being reused; a GET can safely be retried.
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
    if (bytes > MAX_BYTES) throw new RangeError(`the response has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
