import { once } from "node:events";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";

/** An answer of the server behind a relay, its body parsed. */
export interface Relayed {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: faults reach into bodies as they like
  json: any;
}

export interface RelayedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether it has a token. */
  readonly isAuthorized: boolean;
}

/**
 * A server that asks another, and gives its answers with a fault; closed with the test.
 *
 * @param change Changes an answer, in place.
 */
export async function relayTo(
  baseUrl: string,
  change: (answer: Relayed, request: RelayedRequest) => void | Promise<void>,
): Promise<string> {
  const relay = await startRelay(baseUrl, change);
  onTestFinished(relay.stop);
  return relay.url;
}

/** The same for whoever closes it himself. */
export async function startRelay(baseUrl: string, change: Parameters<typeof relayTo>[1]) {
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host, connection, "content-length": _, ...kept } = headers;
    const answer = await fetch(`${baseUrl}${url}`, {
      method,
      headers: kept as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    const relayed = { status: answer.status, json: text === "" ? undefined : JSON.parse(text) };
    await change(relayed, { method, url, isAuthorized: headers.authorization !== undefined });
    const type = answer.headers.get("content-type") ?? "application/json";
    response.writeHead(relayed.status, { "content-type": type });
    response.end(relayed.json === undefined ? "" : JSON.stringify(relayed.json));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
