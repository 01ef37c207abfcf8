import type { IncomingMessage, ServerResponse } from "node:http";
import type { Receiver } from "../request.ts";
import { type NodeOptions, nodeReceive } from "./node-delivery.ts";
import { writeResponse } from "./node-response.ts";

/** What the handler for node:http can be told. */
export interface NodeHandlerOptions extends NodeOptions {
  /**
   * Called with what kept the receiver from answering, and the sender gets a 500. Such an error is
   * of the program, as with something that read the body first (TxfeedError, `body-consumed`). As
   * nobody else would learn of it, it is a process warning unless this is set.
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * Makes a request handler for node:http (and https) of a receiver.
 *
 * @example createServer(toNodeHandler(receiver)).listen(3000)
 */
export function toNodeHandler(
  receiver: Pick<Receiver, "receive">,
  options: NodeHandlerOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  const { onError = warn } = options;
  const receive = nodeReceive(receiver, options, {
    name: "toNodeHandler",
    options: ["onError"],
    culprit: "something",
  });
  return (request, response) => {
    receive(request)
      .then((answer) => writeResponse(request, response, answer))
      .catch((error) => {
        writeResponse(request, response, { status: 500, headers: {}, body: "" });
        onError(error);
      });
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
