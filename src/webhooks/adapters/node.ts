import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyOptions } from "../receive-request.ts";
import type { Receiver } from "../request.ts";
import { nodeReceive, writeResponse } from "./node-http.ts";

/** The options of the handler for node:http. */
export interface NodeHandlerOptions extends BodyOptions {
  /**
   * Called with an error of the receiver, such as a TxfeedError `body-consumed`; the sender gets a
   * 500. Default: emits a process warning.
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * Creates a request handler for node:http and node:https from a receiver.
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
  return async (request, response) => {
    try {
      writeResponse(request, response, await receive(request));
    } catch (error) {
      writeResponse(request, response, { status: 500, headers: {}, body: "" });
      onError(error);
    }
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
