/**
 * A program that receives deliveries and can be killed. It prints its port and appends the id of
 * each handled bank transaction to a file, and to the table `effect` of its inbox.
 */
import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createReceiver } from "../../src/webhooks/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";

/** The argument of the program, as JSON. */
export interface ServiceSettings {
  /** The database of the inbox. */
  readonly path: string;
  /** The file for the ids. */
  readonly log: string;
  readonly acknowledge: "stored" | "handled";
  /** The duration of the handler; null if it never ends. */
  readonly handlerMs: number | null;
  readonly leaseMs: number;
  readonly retryDelaysMs?: readonly number[];
}

const settings: ServiceSettings = JSON.parse(process.argv[2] ?? "");
const { path, log, acknowledge, handlerMs, leaseMs, retryDelaysMs } = settings;

const inbox = sqliteInbox({ path });
await inbox.once({ key: null, lane: null }, leaseMs, async (tx) =>
  tx((database) => database.exec("CREATE TABLE IF NOT EXISTS effect (id TEXT)")),
);
const receiver = createReceiver({
  on: {
    async "banktransaction.created"({ body }, { tx }) {
      appendFileSync(log, `started ${body.id}\n`);
      if (handlerMs === null) await new Promise(() => {});
      await wait(handlerMs ?? 0);
      tx((database) => {
        database.prepare("INSERT INTO effect VALUES (?)").run(body.id);
      });
      appendFileSync(log, `handled ${body.id}\n`);
    },
  },
  inbox,
  acknowledge,
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
