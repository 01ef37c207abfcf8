/**
 * The sending side, in a process of its own. It writes requests to sockets by hand: an HTTP client
 * costs more than the server that is measured, and would set the pace.
 */
import { connect, type Socket } from "node:net";
import { measuredPayloads } from "../payloads.ts";
import { template } from "../template.ts";

/** A block of deliveries, over keep-alive connections with one in flight on each. */
export interface Block {
  readonly port: number;
  readonly deliveries: number;
  readonly connections: number;
}

const EVENT = "transaction.updated";
const bodyText = template(JSON.stringify(measuredPayloads[EVENT].body));
let sent = 0;

/** The next delivery: every one of another transaction, or it would be taken for a repeat. */
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

/** Whether an answer is there as a whole. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = answer.slice(0, end).toLowerCase();
  if (head.includes("transfer-encoding: chunked")) return answer.endsWith("0\r\n\r\n");
  const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  return answer.length >= end + 4 + length;
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
    let answer = "";
    const next = () => (hasNext() ? socket.write(nextRequest()) : resolve());
    socket.on("data", (chunk) => {
      answer += chunk;
      if (!isWhole(answer)) return;
      if (!/^HTTP\/1\.1 2/.test(answer)) reject(new Error(`a delivery was answered ${answer}`));
      answer = "";
      next();
    });
    socket.once("error", reject).once("end", () => reject(new Error("the server hung up")));
    next();
  });
}

process.on("message", async (block) => process.send?.(await send(block as Block)));
