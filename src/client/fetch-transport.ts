import { hasBody, ResponseTooLong, type Transport } from "./transport.ts";

/** The subset of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Creates a transport on `fetch` (default: the global one). */
export function fetchTransport(
  fetch: Fetch = (url, init) => globalThis.fetch(url, init),
): Transport {
  return async ({ method, url, headers, body, signal, maxBytes }) => {
    const init: RequestInit = { method, headers, signal, redirect: "manual" };
    if (body !== undefined) init.body = body;
    const response = await fetch(url, init);
    const { status, headers: received } = response;
    const length = received.get("content-length");
    // HTTP enforces the length of an unencoded body; other bodies are counted while they are read.
    const isBounded = length !== null && !received.has("content-encoding");
    if (isBounded && hasBody(method, status) && Number(length) > maxBytes) {
      response.body?.cancel().catch(ignore);
      throw new ResponseTooLong();
    }
    const text = isBounded ? await response.text() : await collect(response.body, maxBytes);
    return { status, headers: received, text, response };
  };
}

const ignore = () => {};

async function collect(body: Response["body"], maxBytes: number): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      reader.cancel().catch(ignore);
      throw new ResponseTooLong();
    }
    text += decoder.decode(value, { stream: true });
  }
}
