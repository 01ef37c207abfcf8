/**
 * Sends deliveries from a separate process. It writes requests to sockets directly, because an HTTP
 * client would cost more than the measured server.
 */
import { createHmac, randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { measuredPayloads } from "../payloads.ts";
import { template } from "../template.ts";
import { EVENT, SECRET, type Signature } from "./delivery.ts";

/** A block of deliveries over keep-alive connections, one in flight on each. */
export interface Block {
  readonly port: number;
  readonly signature: Signature;
  readonly deliveries: number;
  readonly connections: number;
  /** How many transactions the deliveries are about, in turn; default: each has its own. */
  readonly transactions?: number;
}

const bodyText = template(JSON.stringify(measuredPayloads[EVENT].body));
/** Distinguishes the ids of this process. */
const RUN = randomUUID();
let created = 0;

/** The headers that name the event and sign the body. `id` is unique. */
const signatureHeaders: Readonly<Record<Signature, (body: string, id: string) => string[]>> = {
  none: () => [`webhook-event-type: ${EVENT}`],
  "standard-webhooks": (body, id) => {
    const timestamp = Math.floor(Date.now() / 1000);
    const hmac = createHmac("sha256", SECRET).update(`${id}.${timestamp}.${body}`);
    return [
      `webhook-event-type: ${EVENT}`,
      `webhook-id: ${id}`,
      `webhook-timestamp: ${timestamp}`,
      `webhook-signature: v1,${hmac.digest("base64")}`,
    ];
  },
  github: (body, id) => [
    `x-github-event: ${EVENT}`,
    `x-github-delivery: ${id}`,
    `x-hub-signature-256: sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
  ],
};

/** Creates a delivery. Without a signed id, only a different transaction avoids duplicates. */
function createRequest({ signature, transactions = Number.POSITIVE_INFINITY }: Block): string {
  created += 1;
  const body = bodyText(created % transactions);
  return [
    "POST /webhooks HTTP/1.1",
    "host: 127.0.0.1",
    "content-type: application/json",
    ...signatureHeaders[signature](body, `${RUN}-${created}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}

/** Checks that a response is complete. */
function isComplete(response: string): boolean {
  const end = response.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = response.slice(0, end).toLowerCase();
  if (head.includes("transfer-encoding: chunked")) return response.endsWith("0\r\n\r\n");
  const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  return response.length >= end + 4 + length;
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve).once("error", reject);
  });
  return socket;
}

async function send(block: Block): Promise<number> {
  const { port, deliveries, connections } = block;
  const requests = Array.from({ length: deliveries }, () => createRequest(block)).values();
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const start = performance.now();
  await Promise.all(sockets.map((socket) => drain(socket, () => requests.next().value)));
  const durationMs = performance.now() - start;
  for (const socket of sockets) socket.destroy();
  return durationMs;
}

function drain(socket: Socket, nextRequest: () => string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let response = "";
    const next = () => {
      const request = nextRequest();
      if (request === undefined) resolve();
      else socket.write(request);
    };
    socket.on("data", (chunk) => {
      response += chunk;
      if (!isComplete(response)) return;
      if (!/^HTTP\/1\.1 2/.test(response))
        reject(new Error(`unexpected response to a delivery: ${response}`));
      response = "";
      next();
    });
    socket
      .once("error", reject)
      .once("end", () => reject(new Error("the server closed the connection")));
    next();
  });
}

process.on("message", async (block) => process.send?.(await send(block as Block)));
