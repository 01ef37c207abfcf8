import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../src/listen.ts";
import { parseJson } from "../transport/exchange.ts";
import type { Delivery } from "./delivery.ts";
import { DeliveryBudget } from "./delivery-budget.ts";

/** A delivery of the interface has a few kilobytes. */
const MAX_BODY_BYTES = 512_000;

/** So much is kept of one that breaks off: enough to see what it is. */
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
interface ReceiverOptions {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Deliveries are received there and below, and nowhere else. */
  readonly path: string;
  readonly nextNr: () => number;
  /** Drops the secrets of a text. */
  readonly drop: (text: string) => string;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** Requests that the receiver refused. */
export interface Refusals {
  /** At another path, answered 404: no deliveries of the target. */
  readonly atOtherPaths: number;
  /** With a body over the size limit, answered 413. */
  readonly tooLarge: number;
  /** When as much was kept as a run may keep, answered 503. */
  readonly whenFull: number;
}

export interface Receiver {
  /** Where deliveries are received, such as `http://127.0.0.1:4021/q0k3…`. */
  readonly url: string;
  readonly refusals: Refusals;
  readonly stop: () => Promise<void>;
}

/**
 * Receives deliveries at its path, whatever they look like: each is recorded, and then answered
 * 200. A delivery that is too large, and the first one that is too many, are recorded as refused,
 * so that nothing which is missing is held against the target. What does not come to its end is
 * recorded as far as it came, and what comes after {@link Receiver.stop} is not.
 *
 * @returns Resolves when it listens. Rejects with a TxfeedError `port-in-use` where it can't.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { host, port, path, nextNr, drop, onDelivery } = options;
  const refusals = { atOtherPaths: 0, tooLarge: 0, whenFull: 0 };
  const stock = new DeliveryBudget();
  let isStopped = false;

  const record = (head: Head, rest: Pick<Delivery, "cut" | "refused" | "json">, body = "") => {
    const { request, nr, receivedAt } = head;
    const { name = "", headers } = headersOf(request, drop);
    const below = drop((request.url ?? "").slice(path.length)) || "/";
    onDelivery({
      ...{ nr, receivedAt, answeredAt: new Date().toISOString() },
      request: { method: request.method ?? "", path: below, headers, body },
      ...{ name, ...rest },
    });
  };
  const refuse = (head: Head, response: ServerResponse, refused: "too large" | "full") => {
    const isFirst = refusals.whenFull === 0;
    refusals[refused === "full" ? "whenFull" : "tooLarge"] += 1;
    if (!isStopped && (refused === "too large" || isFirst)) record(head, { refused });
    response.writeHead(refused === "full" ? 503 : 413).end();
  };

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const head = { request, nr: nextNr(), receivedAt: new Date().toISOString() };
    const place = stock.reserve(lengthOfHead(request));
    if (!place) return refuse(head, response, "full");
    const { text, bytes, end } = await readBody(request, place.add);
    if (end === "full" || end === "too large") {
      place.release();
      return refuse(head, response, end);
    }
    if (!place.keep(text)) return refuse(head, response, "full");
    const cut = end === "broken off" ? `a body that broke off after ${bytes} bytes` : undefined;
    if (cut === undefined) await sleep(HOLD_MS);
    if (isStopped) return;
    const body = drop(text);
    const json = cut === undefined ? parseJson(body) : undefined;
    record(head, { ...(cut !== undefined && { cut }), ...(json !== undefined && { json }) }, body);
    // Whatever it is, it came and need not come again; 200 is what every sender takes for that.
    response.writeHead(200).end();
  };
  const route = (isExpected: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    if (!isAt(path, request)) {
      refusals.atOtherPaths += 1;
      return void response.writeHead(404).end();
    }
    if (isExpected) response.writeContinue();
    void receive(request, response);
  };
  const server = createServer(
    {
      requestTimeout: PATIENCE_MS,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: IDLE_MS,
    },
    route(false),
  );
  // A sender may ask first whether its body is wanted.
  server.on("checkContinue", route(true));
  const origin = await listen(server, { host, port });
  return {
    url: `${origin}${path}`,
    refusals,
    async stop() {
      isStopped = true;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A request before its body is read. */
interface Head extends Pick<Delivery, "nr" | "receivedAt"> {
  readonly request: IncomingMessage;
}

/** Whether a request is for a path, or for what is below it. */
function isAt(path: string, { url = "" }: IncomingMessage): boolean {
  return url.startsWith(path) && ["", "/", "?"].includes(url.charAt(path.length));
}

function lengthOfHead({ url = "", rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
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

type BodyEnd = "whole" | "broken off" | "too large" | "full";

/**
 * Reads a body, and how it ended. Of one that breaks off, the beginning is kept. The rest of one
 * that is refused is read and dropped, so that the sender gets its answer.
 *
 * @param hold Makes room for so many bytes; false if there is none.
 */
async function readBody(
  request: IncomingMessage,
  hold: (bytes: number) => boolean,
): Promise<{ text: string; bytes: number; end: BodyEnd }> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let end: BodyEnd = "whole";
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (end === "whole" && bytes > MAX_BODY_BYTES) end = "too large";
      else if (end === "whole" && !hold(chunk.length)) end = "full";
      if (end === "whole") chunks.push(chunk);
      else chunks = [];
    }
  } catch {
    if (end === "whole") end = "broken off";
  }
  const body = Buffer.concat(chunks);
  const kept = end === "broken off" ? body.subarray(0, KEPT_BYTES) : body;
  return { text: kept.toString(), bytes, end };
}
