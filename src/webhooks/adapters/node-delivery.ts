import type { IncomingMessage } from "node:http";
import type { Answer, DeliveryRequest, Receiver } from "../request.ts";
import { deadlineOf } from "./deadline.ts";
import { readNodeBody } from "./node-body.ts";

/** What an adapter of a server on Node can be told. */
export interface NodeOptions {
  /** How long a delivery's body may take to come, 10,000 unless set; then the answer is 408. */
  readonly bodyTimeoutMs?: number;
}

/**
 * Makes what has a delivery received that came by a request of Node's. No `Request` is made of it,
 * which costs more than all else here.
 *
 * @param culprit What reads bodies in this kind of server, for people.
 * @returns a function that resolves to what is to be answered. It rejects with what the receiver
 * rejects with, which includes a TxfeedError `body-consumed`.
 */
export function nodeReceive(
  receiver: Pick<Receiver, "receive">,
  { bodyTimeoutMs = 10_000 }: NodeOptions,
  culprit: string,
): (request: IncomingMessage) => Promise<Answer> {
  const deadline = deadlineOf(bodyTimeoutMs);
  return (request) =>
    receiver.receive({
      request: headOf(request),
      readBody: (limitBytes) => readNodeBody(request, { limitBytes, deadline, culprit }),
    });
}

/** Express keeps the address here, and cuts in `url` off where a handler is mounted. */
type Addressed = IncomingMessage & { readonly originalUrl?: string };

function headOf(request: Addressed): DeliveryRequest {
  const { headers } = request;
  return {
    method: request.method ?? "",
    url: request.originalUrl ?? request.url ?? "",
    headers: {
      get: (name) => {
        // Node has the names in lower case and has joined what came twice.
        const value = headers[name.toLowerCase()];
        return typeof value === "string" ? value : null;
      },
    },
  };
}
