import { type LocalServer, startServer } from "../support/local-server.ts";
import { onFinished } from "../support/on-finished.ts";

/** A response of the relayed server, with its parsed body. */
export interface Relayed {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: injected faults change any member of a body
  json: any;
}

export interface RelayedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether the request has a token. */
  readonly isAuthorized: boolean;
}

/**
 * A proxy that injects a fault into the responses of another server. Closed after the test.
 *
 * @param change Changes a response in place.
 */
export async function relayTo(
  baseUrl: string,
  change: (response: Relayed, request: RelayedRequest) => void | Promise<void>,
): Promise<string> {
  const relay = await startRelay(baseUrl, change);
  onFinished(relay.close);
  return relay.origin;
}

/** The same, closed by the caller. */
export function startRelay(
  baseUrl: string,
  change: Parameters<typeof relayTo>[1],
): Promise<LocalServer> {
  return startServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host, connection, "content-length": _, ...kept } = headers;
    const upstream = await fetch(`${baseUrl}${url}`, {
      method,
      headers: kept as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await upstream.text();
    const relayed = { status: upstream.status, json: text === "" ? undefined : JSON.parse(text) };
    await change(relayed, { method, url, isAuthorized: headers.authorization !== undefined });
    const type = upstream.headers.get("content-type") ?? "application/json";
    response.writeHead(relayed.status, { "content-type": type });
    response.end(relayed.json === undefined ? "" : JSON.stringify(relayed.json));
  });
}
