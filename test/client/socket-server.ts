import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { startServer } from "../support/local-server.ts";

/** Starts a local server that records requests and connections. */
export async function startSocketServer(
  reply: (request: IncomingMessage, response: ServerResponse) => unknown,
) {
  const sockets = new Set<Socket>();
  const responses: ServerResponse[] = [];
  const paths: string[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    paths.push(request.url ?? "");
    responses.push(response);
    reply(request, response);
  });
  server.on("connection", (socket) => {
    // A client may cancel with a reset.
    sockets.add(socket.on("error", () => {}));
  });
  const { origin, close } = await startServer(server);
  return {
    origin,
    close,
    sockets,
    paths,
    get requests() {
      return paths.length;
    },
    get connections() {
      return sockets.size;
    },
    /** Resolves after the first request. */
    requested: async () => {
      if (paths.length === 0) await once(server, "request");
    },
    /** Resolves when every connection so far is closed. */
    allClosed: () => Promise.all([...sockets].map(closed)),
    /** Resolves when one of the connections is closed. */
    firstClosed: () => Promise.race([...sockets].map(closed)),
    /** Ends every pending response. */
    endResponses: () => {
      for (const response of responses) if (!response.writableEnded) response.end();
    },
    /** Closes every connection, and resolves when the client has closed them as well. */
    closeConnections: async () => {
      await Promise.all([...sockets].map((socket) => closed(socket.end())));
    },
  };
}

function closed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => socket.on("close", () => resolve()));
}
