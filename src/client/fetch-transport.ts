import { AnswerTooLong, type Transport, type TransportAnswer } from "./transport.ts";

/** As much of `fetch` as the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Sends requests by `fetch`, wherever there is one. */
export function fetchTransport(
  fetch: Fetch = (url, init) => globalThis.fetch(url, init),
): Transport {
  return async ({ method, url, headers, body, signal, maxBytes }) => {
    const init: RequestInit = { method, headers, signal, redirect: "manual" };
    if (body !== undefined) init.body = body;
    const response = await fetch(url, init);
    const text = await readText(response, maxBytes);
    return { status: response.status, headers: response.headers, text } satisfies TransportAnswer;
  };
}

const ignore = () => {};

/** Reads a body of a length that HTTP itself holds to at once, and any other piece by piece. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const { headers, body } = response;
  const length = headers.get("content-length");
  if (length !== null && !headers.has("content-encoding")) {
    if (Number(length) <= maxBytes) return response.text();
    body?.cancel().catch(ignore);
    throw new AnswerTooLong();
  }
  return body ? collect(body, maxBytes) : "";
}

async function collect(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
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
      throw new AnswerTooLong();
    }
    text += decoder.decode(value, { stream: true });
  }
}
