import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../src/listen.ts";
import { parseJson } from "../wire/exchange.ts";
import type { Delivery } from "./delivery.ts";

/** No delivery comes near it. */
const MOST_BYTES = 5_000_000;

/** So much is kept of one that is larger: enough to see what it is. */
const KEPT_BYTES = 10_000;

/** A body that takes longer to come is not waited for. */
const PATIENCE_MS = 10_000;

/** A sender that keeps its connection finds it open: what is refused may never be sent again. */
const IDLE_MS = 600_000;

/**
 * How long an answer is held back: who sends one by one waits for it, and so shows an order; who
 * sends at once shows none.
 */
const HOLD_MS = 3;

/** These tell something and hold no secret. Of all others, only the name is kept. */
const KEPT = new Set([
  ...["content-type", "content-length", "transfer-encoding", "user-agent"],
  ...["webhook-event-type", "webhook-id", "webhook-timestamp"],
]);

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
 * Receives deliveries, whatever they look like: each is recorded, and then answered 200. What does
 * not come to its end is recorded as far as it came, and what comes after {@link Receiver.stop} is
 * not.
 *
 * @returns Resolves when it listens. Rejects with a TxfeedError `port-in-use` where it can't.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { host, port, nextNr, drop, onDelivery } = options;
  let isStopped = false;
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const receivedAt = new Date().toISOString();
    const nr = nextNr();
    const { text, cut } = await readBody(request);
    if (cut === undefined) await sleep(HOLD_MS);
    if (isStopped) return;
    const body = drop(text);
    const json = cut === undefined ? parseJson(body) : undefined;
    const { name = "", headers } = headersOf(request, drop);
    onDelivery({
      nr,
      receivedAt,
      answeredAt: new Date().toISOString(),
      request: { method: request.method ?? "", path: drop(request.url ?? ""), headers, body },
      name,
      ...(cut !== undefined && { cut }),
      ...(json !== undefined && { json }),
    });
    // Whatever it is, it came and need not come again; 200 is what every sender takes for that.
    response.writeHead(200).end();
  };
  const server = createServer(
    {
      requestTimeout: PATIENCE_MS,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: IDLE_MS,
    },
    receive,
  );
  // A sender may ask first whether its body is wanted.
  server.on("checkContinue", (request, response) => {
    response.writeContinue();
    receive(request, response);
  });
  const url = await listen(server, { host, port });
  return {
    url,
    async stop() {
      isStopped = true;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function headersOf(
  { headers }: IncomingMessage,
  drop: (text: string) => string,
): { name: string | undefined; headers: Record<string, string> } {
  const kept = Object.entries(headers).map(([name, value]) => [
    name,
    KEPT.has(name) ? drop(String(value)) : "(dropped)",
  ]);
  const clean = Object.fromEntries(kept) as Record<string, string>;
  return { name: clean["webhook-event-type"], headers: clean };
}

/** The body, and why it is not all there where it is not. */
async function readBody(request: IncomingMessage): Promise<{ text: string; cut?: string }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const begin = () => Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString();
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      // The rest is read and dropped, so that the sender gets its answer.
      if (bytes <= MOST_BYTES) chunks.push(chunk);
    }
  } catch {
    return { text: begin(), cut: `a body that broke off after ${bytes} bytes` };
  }
  if (bytes > MOST_BYTES) return { text: begin(), cut: `a body of ${bytes} bytes` };
  return { text: Buffer.concat(chunks).toString() };
}
