import { type Dispatcher, errors, Pool } from "undici";
import { assertKnownOptions } from "../../options.ts";
import type { Transport, TransportResponse } from "../transport.ts";
import { Exchange } from "./exchange.ts";

/** What an undici transport may be told. */
export interface UndiciTransportOptions {
  /**
   * How many connections there are to one origin at most: unless set, as many as there are requests
   * under way. Each carries one request at a time; a request waits for a free one.
   */
  readonly connections?: number;
  /**
   * What sends the requests in place of pools of the transport's own: a ProxyAgent, a MockAgent, or
   * an Agent with certificates or HTTP/2. It stays the caller's to close.
   */
  readonly dispatcher?: Dispatcher;
}

/** A transport on undici. Idle connections of it keep no process alive. */
export interface UndiciTransport extends Transport, AsyncDisposable {
  /**
   * Closes the connections, each when what is under way on it has ended. Whatever is sent after
   * that is rejected.
   *
   * @returns Resolves when all are closed.
   */
  close(): Promise<void>;
}

/**
 * Creates a transport for Node that costs a client much less than `fetch` does: give it as
 * `transport`. It sends over HTTP/1.1 and asks for no compression.
 *
 * @returns the transport. It rejects with an AnswerTooLong, an error of undici's or of the system.
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
      // The client has deadlines of its own.
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
