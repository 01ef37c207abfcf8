/**
 * The measured servers: a bare one and the receiver, each on its own port. Both run in one process,
 * so that they share warm code and the heap.
 */
import { existsSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Receiver } from "../../src/webhooks/request.ts";
import { MEASURED_EVENTS } from "../validation/libraries/library.ts";

const RECEIVER = new URL("../../src/webhooks/index.ts", import.meta.url);
const ADAPTER = new URL("../../src/webhooks/adapters/node.ts", import.meta.url);

/** The first message: the port of each server. */
export interface Ports {
  readonly bare: number;
  /** null if this version has no receiver. */
  readonly receiver: number | null;
  readonly duplicates: number | null;
}

/** Reads and parses the body, as any server must. */
const bare: RequestListener = (request, response) => {
  const chunks: Uint8Array[] = [];
  request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  request.on("end", () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    response.writeHead(typeof body === "object" ? 204 : 400).end();
  });
};

interface Webhooks {
  readonly createReceiver: (options: object) => Receiver;
  readonly memoryDuplicates?: () => object;
}

async function receivers(): Promise<{
  plain: RequestListener;
  duplicates?: RequestListener;
} | null> {
  if (![RECEIVER, ADAPTER].every((file) => existsSync(fileURLToPath(file)))) return null;
  const { createReceiver, memoryDuplicates } = (await import(RECEIVER.href)) as Webhooks;
  const { toNodeHandler } = (await import(ADAPTER.href)) as {
    toNodeHandler: (receiver: Receiver) => RequestListener;
  };
  const on = Object.fromEntries(MEASURED_EVENTS.map((event) => [event, () => {}]));
  const plain = toNodeHandler(createReceiver({ on }));
  if (!memoryDuplicates) return { plain };
  return {
    plain,
    duplicates: toNodeHandler(createReceiver({ on, duplicates: memoryDuplicates() })),
  };
}

async function listen(listener: RequestListener | undefined): Promise<number | null> {
  if (!listener) return null;
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Replies to every message with its CPU time, user and system, in milliseconds. */
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1000);
});

const created = await receivers();
const ports: Ports = {
  bare: (await listen(bare)) as number,
  receiver: await listen(created?.plain),
  duplicates: await listen(created?.duplicates),
};
process.send?.(ports);
