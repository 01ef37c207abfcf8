import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { serve } from "../../support/local-server.ts";

/** A received request. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body's `id`, which identifies the test's events. */
  readonly id: string;
}

/** The response to a request: a status, or a function. */
export type Reply = (
  arrival: Arrival,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>;

/** A receiver on loopback. */
export interface TestReceiver {
  readonly url: string;
  readonly port: number;
  /** All requests, in order. */
  readonly arrivals: Arrival[];
  /** The ids of all requests, in order. */
  readonly ids: () => string[];
  /** Changes the response to all later requests. */
  setReply(reply: Reply): void;
  /** The number of connections opened. */
  readonly connections: () => number;
  /** The number of open connections. */
  open(): Promise<number>;
}

/** Starts a receiver that closes with the test. Default status: 204. */
export async function startReceiver(initial: Reply = () => 204): Promise<TestReceiver> {
  let reply = initial;
  let connections = 0;
  const arrivals: Arrival[] = [];
  const server = createServer(async (message, response) => {
    // A sender may abort the request.
    const chunks = await message.toArray().catch(() => undefined);
    if (!chunks) return;
    const body = Buffer.concat(chunks).toString("utf8");
    const { method = "", url = "", headers } = message;
    const { id } = JSON.parse(body) as { id: string };
    const arrival = { method, path: url, headers, body, id };
    arrivals.push(arrival);
    const status = await reply(arrival, response);
    if (status !== undefined) response.writeHead(status).end();
  });
  server.on("connection", () => {
    connections += 1;
  });
  const origin = await serve(server);
  return {
    url: `${origin}/hook`,
    port: Number(new URL(origin).port),
    arrivals,
    ids: () => arrivals.map(({ id }) => id),
    setReply: (other) => {
      reply = other;
    },
    connections: () => connections,
    open: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  };
}

/** A promise that a test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
