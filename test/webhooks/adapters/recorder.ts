import { readBody } from "../../../src/webhooks/receive-request.ts";
import type { DeliveryResponse, Receive, Receiver } from "../../../src/webhooks/request.ts";

/** The limit of the receivers here. */
export const LIMIT_BYTES = 1_000_000;

/** Makes a receiver of what receives: its fetch form does the same with a `Request`. */
export function receiverOf(receive: Receive): Receiver {
  const handle = async (request: Request) => {
    const answer = await receive({
      request,
      readBody: (limitBytes) => readBody(request, limitBytes),
    });
    // A 204 or 304 may have no body, not even an empty one.
    return new Response(answer.body || null, { status: answer.status, headers: answer.headers });
  };
  return Object.assign(handle, { receive });
}

/** What a recorder saw of a delivery. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly header: (name: string) => string | null;
  readonly bytes: Uint8Array;
}

/** Makes a receiver that keeps what came, and answers what it is told to; 413 over the limit. */
export function recorder(answer: DeliveryResponse = { status: 202, headers: {}, body: "" }) {
  const seen: Seen[] = [];
  const receiver = receiverOf(async ({ request, readBody }) => {
    const bytes = await readBody(LIMIT_BYTES);
    if (bytes === "too-large") return { status: 413, headers: {}, body: "too large" };
    const { method, url } = request;
    // What the platform gives may not outlive the request: an answer is all that may come later.
    const header = (name: string) => request.headers.get(name);
    seen.push({ method, url, header, bytes });
    return answer;
  });
  return { receiver, seen };
}

/** Makes a receiver that answers with how many bytes came and their sum, after a moment. */
export function summing(): Receiver {
  return receiverOf(async ({ readBody }) => {
    const bytes = await readBody(LIMIT_BYTES);
    if (bytes === "too-large") return { status: 413, headers: {}, body: "" };
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { status: 200, headers: {}, body: sumOf(bytes) };
  });
}

/** A text that differs for bytes that differ in number, order or value. */
export function sumOf(bytes: Uint8Array): string {
  const sum = bytes.reduce((total, byte) => (total * 31 + byte) % 1_000_003, 7);
  return `${bytes.length} bytes, ${sum}`;
}
