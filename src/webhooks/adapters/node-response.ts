import type { IncomingMessage, ServerResponse } from "node:http";
import type { DeliveryResponse } from "../request.ts";

/** How long a sender that is refused in mid-body may keep the connection open. */
const LINGER_MS = 1_000;
/** How much of its remaining body is read and dropped meanwhile. */
const LINGER_BYTES = 2_000_000;

/** Writes a response. If the body was not read to its end, it closes the connection. */
export function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: DeliveryResponse,
): void {
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  if (isPending(request) && !request.destroyed) refuse(request, response, body);
  else response.end(body);
}

/** Whether more of the body may arrive. A simulated request has no `complete`: false. */
export const isPending = (request: IncomingMessage): boolean => request.complete === false;

/**
 * Responds to a sender that is still sending. Closing at once would reset the connection, and the
 * reset can discard the response. So the connection stays open until the sender has closed it, has
 * sent everything, or `LINGER_MS` have passed.
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
