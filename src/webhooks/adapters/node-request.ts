import type { IncomingMessage } from "node:http";
import { BodyIncompleteError } from "../../errors.ts";
import { assertDuration, assertKnownOptions } from "../../options.ts";
import { BODY_TIMEOUT_MS, bodyConsumed } from "../receive-request.ts";
import type { DeliveryRequest, DeliveryResponse, Receiver } from "../request.ts";

/** The options of every adapter for a server on Node.js. */
export interface NodeOptions {
  /**
   * The time limit for a delivery's body, in milliseconds; default: 10,000. A body that takes
   * longer gets a 408.
   */
  readonly bodyTimeoutMs?: number;
}

/** Describes an adapter, for its messages. */
interface NodeAdapter {
  /** The function that creates the handler. */
  readonly name: string;
  /** The options besides those of every adapter. */
  readonly options: readonly string[];
  /** The function that usually reads bodies in this kind of server. */
  readonly culprit: string;
}

const OPTIONS = Object.keys({ bodyTimeoutMs: 0 } satisfies Record<keyof NodeOptions, 0>);

/**
 * Creates the function that receives deliveries from Node's requests. It creates no fetch
 * `Request`, which would take longer than everything else here.
 *
 * @returns the function. It rejects if the receiver rejects, such as with a TxfeedError
 * `body-consumed`.
 * @throws {TxfeedError} `usage` if an option is unknown, or the timeout is not a positive integer.
 */
export function nodeReceive(
  receiver: Pick<Receiver, "receive">,
  options: NodeOptions,
  { name, options: more, culprit }: NodeAdapter,
): (request: IncomingMessage) => Promise<DeliveryResponse> {
  assertKnownOptions(name, options, [...OPTIONS, ...more]);
  const { bodyTimeoutMs = BODY_TIMEOUT_MS } = options;
  assertDuration(`${name}: bodyTimeoutMs`, bodyTimeoutMs);
  const deadline = createDeadline(bodyTimeoutMs);
  return (request) =>
    receiver.receive({
      request: headOf(request),
      readBody: (limitBytes) => readBody(request, { limitBytes, deadline, culprit }),
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

interface ReadOptions {
  readonly limitBytes: number;
  readonly deadline: Deadline;
  readonly culprit: string;
}

/** Reads a body as `Receive` specifies. The rest of a body that is too large stays unread. */
function readBody(
  request: IncomingMessage,
  { limitBytes, deadline, culprit }: ReadOptions,
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
      cancelDeadline();
    };
    const fail = (how: string) => {
      if (isOver) return;
      stop();
      reject(new BodyIncompleteError(`the body ${how}, after ${length} bytes`));
    };
    const cancelDeadline = deadline.start(() => fail("did not come in time"));
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
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, length));
    });
    // An aborted request emits `close`, and `error` only if there is a listener for it.
    request.on("close", () => fail("broke off"));
    if (request.destroyed) fail("broke off");
  });
}

/** A time limit for concurrent operations. */
interface Deadline {
  /** Calls `expire` at the deadline, unless the returned function cancels it. */
  start(expire: () => void): () => void;
}

/** An operation in a ring, or the ring's head. */
interface Operation {
  readonly endMs: number;
  readonly expire: () => void;
  next: Operation;
  previous: Operation;
}

/**
 * Creates a deadline that many operations share. They use one timer, because a timer each would
 * double the cost of reading a body. The timer does not keep the process alive.
 */
export function createDeadline(timeoutMs: number): Deadline {
  // Ordered by their ends, because all have the same timeout. A ring costs less than a set.
  const head = { endMs: Number.NaN, expire() {} } as unknown as Operation;
  head.next = head;
  head.previous = head;
  let isTimerSet = false;

  const wait = (delayMs: number) => {
    isTimerSet = true;
    setTimeout(sweep, delayMs).unref();
  };
  const sweep = () => {
    isTimerSet = false;
    const nowMs = performance.now();
    while (head.next !== head) {
      const first = head.next;
      if (first.endMs > nowMs) return wait(first.endMs - nowMs);
      remove(first);
      first.expire();
    }
  };
  return {
    start: (expire) => {
      const { previous } = head;
      const endMs = performance.now() + timeoutMs;
      const operation: Operation = { endMs, expire, next: head, previous };
      previous.next = operation;
      head.previous = operation;
      if (!isTimerSet) wait(timeoutMs);
      return () => remove(operation);
    },
  };
}

/** Takes an operation out of its ring; it becomes a ring of its own. */
function remove(operation: Operation): void {
  const { next, previous } = operation;
  previous.next = next;
  next.previous = previous;
  operation.next = operation;
  operation.previous = operation;
}
