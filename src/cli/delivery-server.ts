import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "../listen.ts";
import { toNodeHandler } from "../webhooks/adapters/node.ts";
import type { Receive } from "../webhooks/request.ts";

/** A running server. */
interface DeliveryServer {
  readonly url: string;
  /** Refuses new requests and waits for the running ones. */
  readonly stop: () => Promise<void>;
}

/** The options of a delivery server. */
interface DeliveryServerOptions {
  readonly host: string;
  /** The port to listen on; 0 for a free one. */
  readonly port: number;
  readonly receive: Receive;
  /** Called with an error of `receive`; the sender got a 500. */
  readonly onError: (error: unknown) => void;
}

/** The time limit for a request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** How long `stop` waits before it closes the remaining connections. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts a node:http server that receives deliveries at any path.
 *
 * @throws {TxfeedError} `port-in-use` if it can't listen on the port.
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
      const timer = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
