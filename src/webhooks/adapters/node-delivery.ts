import type { IncomingMessage } from "node:http";
import { assertKnownOptions } from "../../options.ts";
import { assertInteger } from "../assert-integer.ts";
import { BODY_TIMEOUT_MS } from "../read-body.ts";
import type { DeliveryRequest, DeliveryResponse, Receiver } from "../request.ts";
import { deadlineOf } from "./deadline.ts";
import { readNodeBody } from "./node-body.ts";

/** What every adapter of a server on Node can be given. */
export interface NodeOptions {
  /** How long a delivery's body may take to come; default: 10,000. Then the answer is 408. */
  readonly bodyTimeoutMs?: number;
}

/** An adapter of a server on Node, for messages. */
export interface NodeAdapter {
  /** The function that makes the handler. */
  readonly name: string;
  /** The options that it has besides those of every adapter. */
  readonly options: readonly string[];
  /** What reads bodies in this kind of server. */
  readonly culprit: string;
}

const OPTIONS = Object.keys({ bodyTimeoutMs: 0 } satisfies Record<keyof NodeOptions, 0>);

/**
 * Makes a function that has a delivery received that came by a request of Node's. It makes no
 * `Request`, which costs more than all else here.
 *
 * @returns the function. It resolves to the answer, and rejects with what the receiver rejects
 * with, which includes a TxfeedError `body-consumed`.
 * @throws {TxfeedError} `usage` if an option is unknown, or the timeout is not a positive integer.
 */
export function nodeReceive(
  receiver: Pick<Receiver, "receive">,
  options: NodeOptions,
  { name, options: more, culprit }: NodeAdapter,
): (request: IncomingMessage) => Promise<DeliveryResponse> {
  assertKnownOptions(name, options, [...OPTIONS, ...more]);
  const { bodyTimeoutMs = BODY_TIMEOUT_MS } = options;
  assertInteger(`${name}: bodyTimeoutMs`, bodyTimeoutMs);
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
