import type { IncomingMessage, ServerResponse } from "node:http";
import type { Receiver } from "../request.ts";
import { type NodeOptions, nodeReceive } from "./node-delivery.ts";
import { writeResponse } from "./node-response.ts";

/**
 * Makes an Express 5 handler of a receiver. It has to stand before `express.json()` and the like,
 * since it reads the body itself; what comes after them still has its bodies parsed.
 *
 * A body that was read before is a TxfeedError `body-consumed` for the app's error handler.
 *
 * @example app.post("/webhooks", toExpressHandler(receiver)); app.use(express.json());
 */
export function toExpressHandler(
  receiver: Receiver,
  options: NodeOptions = {},
): (request: IncomingMessage, response: ServerResponse, next: (error: unknown) => void) => void {
  const receive = nodeReceive(receiver, options, {
    name: "toExpressHandler",
    options: [],
    culprit: "a body parser such as express.json()",
  });
  return (request, response, next) => {
    receive(request)
      .then((answer) => writeResponse(request, response, answer))
      .catch(next);
  };
}
