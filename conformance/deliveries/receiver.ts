import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../src/listen.ts";
import { parseJson } from "../wire/exchange.ts";
import type { Delivery } from "./delivery.ts";

/** No delivery comes near it. */
const MOST_BYTES = 5_000_000;

/** A body that takes longer to come is not waited for. */
const PATIENCE_MS = 10_000;

/**
 * How long an answer is held back: who sends one by one waits for it, and so shows an order; who
 * sends at once shows none.
 */
const HOLD_MS = 3;

/** These tell something and hold no secret. Of all others, only the name is kept. */
const KEPT = [
  ...["content-type", "content-length", "user-agent", "webhook-event-type"],
  ...["webhook-id", "webhook-timestamp"],
];

/** What a receiver works with. */
export interface ReceiverOptions {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly nextNr: () => number;
  /** Drops the secrets of a text. */
  readonly drop: (text: string) => string;
  readonly onDelivery: (delivery: Delivery) => void;
}

export interface Receiver {
  /** Where it listens, such as `http://127.0.0.1:4021`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Receives deliveries, whatever they look like: each is answered 204 once it is recorded.
 *
 * @returns Resolves when it listens. Rejects with a TxfeedError `port-in-use` where it can't.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { host, port, nextNr, drop, onDelivery } = options;
  const server = createServer({ requestTimeout: PATIENCE_MS }, async (request, response) => {
    const receivedAt = new Date().toISOString();
    const nr = nextNr();
    const text = await readBody(request);
    if (text === undefined) {
      response.writeHead(413).end();
      request.destroy();
      return;
    }
    await sleep(HOLD_MS);
    const body = drop(text);
    const json = parseJson(body);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        KEPT.includes(name) ? drop(String(value)) : "(dropped)",
      ]),
    );
    onDelivery({
      nr,
      receivedAt,
      answeredAt: new Date().toISOString(),
      request: { method: request.method ?? "", path: drop(request.url ?? ""), headers, body },
      name: headers["webhook-event-type"] ?? "",
      ...(json !== undefined && { json }),
    });
    response.writeHead(204).end();
  });
  const url = await listen(server, { host, port });
  return {
    url,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The body; undefined where it is too large or broke off. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}
