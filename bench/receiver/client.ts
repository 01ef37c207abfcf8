/**
 * Sends deliveries from a separate process. It writes requests to sockets directly, because an HTTP
 * client would cost more than the measured server.
 */
import { connect, type Socket } from "node:net";
import { measuredPayloads } from "../payloads.ts";
import { template } from "../template.ts";

/** A block of deliveries over keep-alive connections, one in flight on each. */
export interface Block {
  readonly port: number;
  readonly deliveries: number;
  readonly connections: number;
}

const EVENT = "transaction.updated";
const bodyText = template(JSON.stringify(measuredPayloads[EVENT].body));
let sent = 0;

/** Returns the next delivery. Each has a different transaction, to avoid duplicates. */
function nextRequest(): string {
  sent += 1;
  const body = bodyText(sent);
  return [
    "POST /webhooks HTTP/1.1",
    "host: 127.0.0.1",
    "content-type: application/json",
    `webhook-event-type: ${EVENT}`,
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

async function send({ port, deliveries, connections }: Block): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let left = deliveries;
  const start = performance.now();
  await Promise.all(sockets.map((socket) => drain(socket, () => left-- > 0)));
  const durationMs = performance.now() - start;
  for (const socket of sockets) socket.destroy();
  return durationMs;
}

function drain(socket: Socket, hasNext: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let response = "";
    const next = () => (hasNext() ? socket.write(nextRequest()) : resolve());
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
