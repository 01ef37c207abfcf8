/**
 * A program that receives deliveries and can be killed. It prints its port and appends the id of
 * each handled bank transaction to a file.
 */
import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createReceiver } from "../../src/webhooks/index.ts";
import { sqliteDuplicates, sqliteQueue } from "../../src/webhooks/sqlite/index.ts";

/** The argument of the program, as JSON. */
export interface ServiceSettings {
  /** The database of the store and the queue. */
  readonly path: string;
  /** The file for the ids. */
  readonly log: string;
  readonly withQueue: boolean;
  /** The duration of the handler; null if it never ends. */
  readonly handlerMs: number | null;
  readonly leaseMs: number;
  /** The duration of claims; default: that of the leases. */
  readonly claimMs?: number;
  readonly retryDelaysMs?: readonly number[];
}

const settings: ServiceSettings = JSON.parse(process.argv[2] ?? "");
const { path, log, withQueue, handlerMs, leaseMs, claimMs = leaseMs, retryDelaysMs } = settings;

const receiver = createReceiver({
  on: {
    async "banktransaction.created"({ body }) {
      appendFileSync(log, `started ${body.id}\n`);
      if (handlerMs === null) await new Promise(() => {});
      await wait(handlerMs ?? 0);
      appendFileSync(log, `handled ${body.id}\n`);
    },
  },
  duplicates: sqliteDuplicates({ path, leaseMs: claimMs }),
  ...(withQueue ? { queue: sqliteQueue({ path }) } : {}),
  work: { leaseMs, pollMs: 50, concurrency: 20, ...(retryDelaysMs && { retryDelaysMs }) },
});

async function bytesOf(message: IncomingMessage): Promise<Uint8Array> {
  return Buffer.concat(await message.toArray());
}

const server = createServer(async (message, response) => {
  const headers = { get: (name: string) => message.headers[name]?.toString() ?? null };
  const { method = "", url = "" } = message;
  const { status, body } = await receiver.receive({
    request: { method, url, headers },
    readBody: () => bytesOf(message),
  });
  response.writeHead(status).end(body);
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
