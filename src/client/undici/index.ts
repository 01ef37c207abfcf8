import { type Dispatcher, errors, Pool } from "undici";
import { assertKnownOptions } from "../../options.ts";
import type { Transport, TransportResponse } from "../transport.ts";
import { Exchange } from "./exchange.ts";

/** The options of {@link undiciTransport}. */
export interface UndiciTransportOptions {
  /**
   * The maximum number of connections to one origin (default: no limit). Each connection carries
   * one request at a time; other requests wait.
   */
  readonly connections?: number;
  /**
   * Sends the requests instead of the transport's own pools: a ProxyAgent, a MockAgent, or an Agent
   * with certificates or HTTP/2. The caller must close it.
   */
  readonly dispatcher?: Dispatcher;
}

/** A transport on undici. Its idle connections do not keep the process alive. */
export interface UndiciTransport extends Transport, AsyncDisposable {
  /**
   * Closes the connections when their requests in flight have ended; new requests are rejected.
   *
   * @returns Resolves when all connections are closed.
   */
  close(): Promise<void>;
}

/**
 * Creates a transport for Node that is much faster than `fetch`. It uses HTTP/1.1 and requests no
 * compression.
 *
 * @returns the transport, for the option `transport` of a client. It rejects with ResponseTooLong,
 * or with an error of undici or of the system.
 * @see https://undici.nodejs.org/#/docs/api/Pool
 */
export function undiciTransport(options: UndiciTransportOptions = {}): UndiciTransport {
  assertKnownOptions("undiciTransport", options, ["connections", "dispatcher"]);
  const { connections, dispatcher } = options;
  const pools = new Map<string, Pool>();
  let closing: Promise<void> | undefined;

  const dispatcherOf = (origin: string): Dispatcher => {
    if (closing) throw new errors.ClientClosedError();
    const known = dispatcher ?? pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, { connections: connections ?? null, allowH2: false });
    pools.set(origin, pool);
    return pool;
  };

  const transport: Transport = (request) =>
    new Promise<TransportResponse>((resolve, reject) => {
      const { method, url, headers, body = null } = request;
      const exchange = new Exchange(request, resolve, reject);
      request.onCancel(() => exchange.cancel());
      if (exchange.isCancelled) return;
      const pathAt = url.indexOf("/", "https://".length);
      const origin = url.slice(0, pathAt);
      const path = url.slice(pathAt);
      // The client enforces its own deadlines.
      const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
      dispatcherOf(origin).dispatch(
        { origin, path, method, headers, body, ...timeouts } as Dispatcher.DispatchOptions,
        exchange,
      );
    });

  const close = () => {
    closing ??= Promise.all([...pools.values()].map((pool) => pool.close())).then(() => {});
    return closing;
  };
  return Object.assign(transport, { close, [Symbol.asyncDispose]: close });
}
