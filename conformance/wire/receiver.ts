import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../src/listen.ts";
import { DeliveryBudget } from "./budget.ts";
import { deadline } from "./deadline.ts";
import { type Delivery, parseJson } from "./exchange.ts";

/** The deliveries of the interface have a few kilobytes. */
const MAX_BODY_BYTES = 512_000;

/** Bytes kept of an aborted body, for diagnosis. */
const KEPT_BYTES = 10_000;

/** Timeout for receiving a request. */
const PATIENCE_MS = 10_000;

/**
 * Keep-alive timeout. Long enough that senders rarely hit a closed connection: they may not retry.
 */
const IDLE_MS = 600_000;

/**
 * Response delay. A sender that waits for each response then shows its order; a concurrent sender
 * shows none.
 */
const HOLD_MS = 3;

/**
 * Headers whose values are recorded. They contain no secrets. Only the names of other headers are
 * kept.
 */
const RECORDED_HEADERS = new Set([
  ...["content-type", "content-length", "transfer-encoding", "user-agent"],
  ...["webhook-event-type", "webhook-id", "webhook-timestamp"],
]);

interface ReceiverOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Deliveries are received at and below this path only. */
  readonly path: string;
  readonly nextNr: () => number;
  /** Removes secrets from a text. */
  readonly drop: (text: string) => string;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** Requests that the receiver refused. */
export interface Refusals {
  /** Answered 404: requests at another path, which are not deliveries of the target. */
  readonly atOtherPaths: number;
  /** Answered 413: the body exceeds the size limit. */
  readonly tooLarge: number;
  /** Answered 503: the run's delivery budget is exhausted. */
  readonly whenFull: number;
}

export interface Receiver {
  /** The URL of the receiver, such as `http://127.0.0.1:4021/q0k3…`. */
  readonly url: string;
  readonly refusals: Refusals;
  readonly stop: () => Promise<void>;
}

/**
 * Receives and records deliveries at its path. Responds to each with 200, even if it is invalid.
 * Records oversized deliveries, and the first one over budget, as refused, so that the target is
 * not blamed for missing events. Records aborted bodies up to where they end. Ignores deliveries
 * after {@link Receiver.stop}.
 *
 * @returns Resolves when the server listens. Rejects with a TxfeedError `port-in-use` if the port
 * is taken.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { host, port, path, nextNr, drop, onDelivery } = options;
  const refusals = { atOtherPaths: 0, tooLarge: 0, whenFull: 0 };
  const budget = new DeliveryBudget();
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
    if (!budget.begin(lengthOfHead(request))) return refuse(head, response, "full");
    const { text, bytes, end } = await readBody(request, budget);
    if (end === "full" || end === "too large") return refuse(head, response, end);
    if (!budget.takeText(text)) return refuse(head, response, "full");
    const cut = end === "broken off" ? `a body that broke off after ${bytes} bytes` : undefined;
    if (cut === undefined) await sleep(HOLD_MS);
    if (isStopped) return;
    const body = drop(text);
    const json = cut === undefined ? parseJson(body) : undefined;
    record(head, { ...(cut !== undefined && { cut }), ...(json !== undefined && { json }) }, body);
    // Always 200, so that no sender retries.
    response.writeHead(200).end();
  };
  const server = createServer(
    {
      requestTimeout: PATIENCE_MS,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: IDLE_MS,
    },
    (request, response) => {
      if (isAt(path, request)) return void receive(request, response);
      refusals.atOtherPaths += 1;
      response.writeHead(404).end();
    },
  );
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

/** Whether a request is at or below a path. */
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
  const recorded = Object.entries(headers).map(([name, value]) => [
    name,
    RECORDED_HEADERS.has(name) ? drop(String(value)) : "(dropped)",
  ]);
  const clean = Object.fromEntries(recorded) as Record<string, string>;
  return { name: clean["webhook-event-type"], headers: clean };
}

type BodyEnd = "whole" | "broken off" | "too large" | "full";

/**
 * Reads a body and reports how it ended. Keeps the beginning of an aborted body. Drains the rest of
 * a refused body, so that the sender gets its response. Holds the bytes in the budget meanwhile.
 */
async function readBody(
  request: IncomingMessage,
  budget: DeliveryBudget,
): Promise<{ text: string; bytes: number; end: BodyEnd }> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let held = 0;
  let end: BodyEnd = "whole";
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (end === "whole" && bytes > MAX_BODY_BYTES) end = "too large";
      else if (end === "whole" && !budget.take(chunk.length)) end = "full";
      if (end === "whole") {
        chunks.push(chunk);
        held += chunk.length;
      } else chunks = [];
    }
  } catch {
    if (end === "whole") end = "broken off";
  }
  budget.release(held);
  const body = Buffer.concat(chunks);
  const recorded = end === "broken off" ? body.subarray(0, KEPT_BYTES) : body;
  return { text: recorded.toString(), bytes, end };
}

/** As long as 128 random bits in base64url. */
const MIN_LENGTH = 22;

/** An unguessable path, to keep out unrelated senders. */
export function randomPath(): string {
  return `/${randomBytes(18).toString("base64url")}`;
}

/** Why a path is not usable for the receiver; undefined if it is. */
export function pathProblem(path: string): string | undefined {
  if (!/^\/[\w.~/-]*[\w~-]$/.test(path)) {
    return "it must be a slash followed by letters, digits and . _ ~ - /";
  }
  if (path.includes("//") || path.split("/").some((part) => part === "." || part === "..")) {
    return "it has an empty, '.' or '..' segment";
  }
  if (path.length <= MIN_LENGTH) {
    return `it is easy to guess: use at least ${MIN_LENGTH} characters after the slash`;
  }
  return undefined;
}

/** The deliveries received so far; callers can wait for more. */
export class Inbox {
  readonly #deliveries: Delivery[] = [];
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  add(delivery: Delivery): void {
    this.#deliveries.push(delivery);
    this.#arrivals.emit("delivery");
  }

  /**
   * Resolves to all deliveries so far, when `isEnough` accepts them, the time is over, or the run
   * is aborted.
   */
  async waitFor(
    isEnough: (deliveries: readonly Delivery[]) => boolean,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<readonly Delivery[]> {
    const { signal: over, clear } = deadline(patienceMs, () => "no longer awaited", signal);
    while (!over.aborted && !isEnough(this.#deliveries.slice())) {
      await once(this.#arrivals, "delivery", { signal: over }).catch(() => {});
    }
    clear();
    return this.#deliveries.slice();
  }
}
