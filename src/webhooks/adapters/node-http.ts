import type { IncomingMessage, ServerResponse } from "node:http";
import { BodyIncompleteError } from "../../errors.ts";
import { joinBytes } from "../crypto.ts";
import { type BodyOptions, bodyConsumed, bodyTimeoutOf } from "../receive-request.ts";
import type { DeliveryRequest, DeliveryResponse, Receiver } from "../request.ts";

/** Describes an adapter, for its messages. */
interface NodeAdapter {
  /** The function that creates the handler. */
  readonly name: string;
  /** The options besides those of every adapter. */
  readonly options?: readonly string[];
  /** The function that usually reads bodies in this kind of server. */
  readonly culprit: string;
}

/**
 * Creates the function that receives deliveries from Node's requests. It creates no fetch
 * `Request`, which would take longer than everything else here.
 *
 * @returns the function. It rejects if the receiver rejects, such as with a TxfeedError
 * `body-consumed`.
 * @throws {TxfeedError} `usage` if an option is unknown, or the time limit is not a duration.
 */
export function nodeReceive(
  receiver: Pick<Receiver, "receive">,
  options: BodyOptions,
  { name, options: more, culprit }: NodeAdapter,
): (request: IncomingMessage) => Promise<DeliveryResponse> {
  const timeoutMs = bodyTimeoutOf(name, options, more);
  return (request) =>
    receiver.receive({
      request: headOf(request),
      readBody: (limitBytes) => readBody(request, limitBytes, timeoutMs, culprit),
      // Node destroys the request itself once its body was read.
      isGone: () => request.socket.destroyed,
    });
}

/** Express keeps the full URL in `originalUrl`; `url` is relative to where a handler is mounted. */
type ExpressRequest = IncomingMessage & { readonly originalUrl?: string };

function headOf(request: ExpressRequest): DeliveryRequest {
  const { headers } = request;
  return {
    method: request.method ?? "",
    url: request.originalUrl ?? request.url ?? "",
    headers: {
      get: (name) => {
        // Node has lower-cased the names and joined repeated headers.
        const value = headers[name.toLowerCase()];
        return typeof value === "string" ? value : null;
      },
    },
  };
}

/** Reads a body as `Receive` specifies. The rest of a body that is too large stays unread. */
function readBody(
  request: IncomingMessage,
  limitBytes: number,
  timeoutMs: number,
  culprit: string,
): Promise<Uint8Array | "too-large"> {
  return new Promise((resolve, reject) => {
    // An empty body that was read shows only by `readableEnded`.
    if (request.readableDidRead || request.readableEnded || request.readableEncoding !== null) {
      return reject(bodyConsumed(culprit));
    }
    if (Number(request.headers["content-length"]) > limitBytes) return resolve("too-large");

    const chunks: Uint8Array[] = [];
    let length = 0;
    let isOver = false;
    const stop = () => {
      isOver = true;
      clearTimeout(timer);
    };
    const fail = (how: string) => {
      if (isOver) return;
      stop();
      reject(new BodyIncompleteError(`the body ${how}, after ${length} bytes`));
    };
    const timer = setTimeout(() => fail("did not come in time"), timeoutMs).unref();
    // The listeners stay: removing them costs more than the calls that do nothing.
    request.on("data", (chunk: Uint8Array) => {
      if (isOver) return;
      length += chunk.length;
      if (length <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      stop();
      request.pause();
      resolve("too-large");
    });
    request.on("end", () => {
      if (isOver) return;
      stop();
      resolve(joinBytes(chunks));
    });
    // An aborted request emits `close`, and `error` only if there is a listener for it.
    request.on("close", () => fail("broke off"));
    if (request.destroyed) fail("broke off");
  });
}

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
