import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Hono } from "hono";
import { badRequest, Refusal } from "../../world/refusal.ts";
import { problemResponse } from "../problems.ts";

/** The responses to requests that Node refuses, by the code of its error. */
const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: new Refusal(431, "Request header fields too large", "at most 16 KiB"),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(
    408,
    "Request timeout",
    "the request was not received in time",
  ),
};

/** Makes the server of an app. Requests that Node refuses get a problem document, too. */
export function createHttpServer(app: Hono): Server {
  const errorHandler = (error: unknown) => {
    const isNoUrl = error instanceof RequestError;
    return problemResponse(
      isNoUrl ? badRequest("the request's target or host is not a URL") : error,
    );
  };
  const listener = getRequestListener(app.fetch, { errorHandler });
  const server = createServer({ requireHostHeader: false }, listener);
  server.on("clientError", refuse);
  return server;
}

async function refuse({ code = "" }: NodeJS.ErrnoException, socket: Socket): Promise<void> {
  const refusal = REFUSALS[code] ?? badRequest("not an HTTP request");
  const body = await problemResponse(refusal).text();
  if (!socket.writable) return void socket.destroy();
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.title}`,
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
