import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "../listen.ts";
import { toNodeHandler } from "../webhooks/adapters/node.ts";
import type { Receive } from "../webhooks/request.ts";

/** A server that runs until it is stopped. */
export interface DeliveryServer {
  readonly url: string;
  /** Takes no more requests, and resolves when those under way are answered. */
  readonly stop: () => Promise<void>;
}

/** What a server is started with. */
export interface DeliveryServerOptions {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly receive: Receive;
  /** Called with what `receive` threw; the sender was answered 500. */
  readonly onError: (error: unknown) => void;
}

/** A body that takes longer than this to come is not waited for. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Requests that are not through by then are cut off when the server stops. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts a node:http server for deliveries, at any path.
 *
 * @returns Resolves to the running server. Rejects with a TxfeedError `port-in-use` where it can't
 * listen there.
 */
export async function startDeliveryServer(options: DeliveryServerOptions): Promise<DeliveryServer> {
  const { host, port, receive, onError } = options;
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    toNodeHandler({ receive }, { onError }),
  );
  const url = await listen(server, { host, port });
  return {
    url,
    async stop() {
      const closed = once(server, "close");
      server.close();
      const late = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
      await closed;
      clearTimeout(late);
    },
  };
}
