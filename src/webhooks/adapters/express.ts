import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyOptions } from "../receive-request.ts";
import type { Receiver } from "../request.ts";
import { nodeReceive, writeResponse } from "./node-http.ts";

/**
 * Creates an Express 5 handler from a receiver. Mount it before `express.json()` and other body
 * parsers, because it reads the body itself. Routes after them still get parsed bodies.
 *
 * If the body was read before, the app's error handler gets a TxfeedError `body-consumed`.
 *
 * @example app.post("/webhooks", toExpressHandler(receiver)); app.use(express.json());
 */
export function toExpressHandler(
  receiver: Receiver,
  options: BodyOptions = {},
): (request: IncomingMessage, response: ServerResponse, next: (error: unknown) => void) => void {
  const receive = nodeReceive(receiver, options, {
    name: "toExpressHandler",
    culprit: "a body parser such as express.json()",
  });
  return (request, response, next) => {
    receive(request)
      .then((result) => writeResponse(request, response, result))
      .catch(next);
  };
}
