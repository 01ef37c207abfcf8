import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { Server } from "node:net";
import { listen } from "../../src/listen.ts";
import { onFinished } from "./on-finished.ts";

/** A server on a free port of the loopback interface. */
export interface LocalServer extends AsyncDisposable {
  readonly origin: string;
  /** Closes the server and its connections. */
  readonly close: () => Promise<void>;
}

/** Starts a server that the caller closes. */
export async function startServer(handler: RequestListener | Server): Promise<LocalServer> {
  const server = typeof handler === "function" ? createServer(handler) : handler;
  const origin = await listen(server, { host: "127.0.0.1", port: 0 });
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
    await closed;
  };
  return { origin, close, [Symbol.asyncDispose]: close };
}

/** Starts a server that is closed after the test. Returns its origin. */
export async function serve(handler: RequestListener | Server): Promise<string> {
  const { origin, close } = await startServer(handler);
  onFinished(close);
  return origin;
}

/**
 * A port of the loopback interface on which nothing listens. Systems assign port 0 from 32768 or
 * higher, so that no server of another test gets this port.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_768);
  const server = createServer();
  try {
    await listen(server, { host: "127.0.0.1", port });
  } catch {
    return freePort();
  }
  server.close();
  await once(server, "close");
  return port;
}

/** Responds with 404. */
export const notFound: RequestListener = (_request, response) => {
  response.writeHead(404).end();
};
