import type { IncomingMessage, ServerResponse } from "node:http";
import type { DeliveryResponse } from "../request.ts";

/** How long a sender that was refused in mid-body may take to hang up before it is cut off. */
const LINGER_MS = 1_000;
/** How much of what it still sends meanwhile is read; it all goes through memory. */
const LINGER_BYTES = 2_000_000;

/**
 * Writes an answer. Where the request's body has not come in full, the answer ends the connection:
 * nobody is going to read the rest.
 */
export function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  answer: DeliveryResponse,
): void {
  response.statusCode = answer.status;
  for (const name in answer.headers) response.setHeader(name, answer.headers[name] ?? "");
  if (isPending(request) && !request.destroyed) refuse(request, response, answer.body);
  else response.end(answer.body);
}

/** Tells whether some of the body is still to come. A simulated request does not know: no. */
export const isPending = (request: IncomingMessage): boolean => request.complete === false;

/**
 * Answers a sender that is still sending. Closing at once would reset the connection, and a reset
 * may take the answer with it; so the whole answer is sent, and the end of the exchange waits until
 * the sender has hung up, has sent all, or has had its time.
 */
function refuse(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.setHeader("connection", "close");
  response.setHeader("content-length", new TextEncoder().encode(body).length);
  response.flushHeaders();
  if (body) response.write(body);
  const close = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(close, LINGER_MS);
  request.once("end", close);
  request.once("close", close);
  let leftBytes = LINGER_BYTES;
  request.on("data", (chunk: Uint8Array) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) request.pause();
  });
  request.resume();
}
