import { receiveRequest } from "../../../src/webhooks/receive-request.ts";
import type { DeliveryResponse, Receive, Receiver } from "../../../src/webhooks/request.ts";

/** The body limit of these receivers. */
export const LIMIT_BYTES = 1_000_000;

/** Creates a receiver from `receive`. */
export function receiverOf(receive: Receive): Receiver {
  const handle = (request: Request) => receiveRequest(receive, request);
  return Object.assign(handle, { receive });
}

/** A recorded delivery. */
export interface RecordedDelivery {
  readonly method: string;
  readonly url: string;
  readonly header: (name: string) => string | null;
  readonly bytes: Uint8Array;
}

/** A receiver that records deliveries and returns a fixed response; 413 over the limit. */
export function recorder(response: DeliveryResponse = { status: 202, headers: {}, body: "" }) {
  const seen: RecordedDelivery[] = [];
  const receiver = receiverOf(async ({ request, readBody }) => {
    const bytes = await readBody(LIMIT_BYTES);
    if (bytes === "too-large") return { status: 413, headers: {}, body: "too large" };
    const { method, url } = request;
    // Copied, because the platform may reuse these objects after the request.
    const header = (name: string) => request.headers.get(name);
    seen.push({ method, url, header, bytes });
    return response;
  });
  return { receiver, seen };
}
