/** A receiver with the inbox on Postgres. It handles deliveries in the same process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { toNodeHandler } from "../../src/webhooks/adapters/node.ts";
import { createReceiver, standardWebhooks } from "../../src/webhooks/index.ts";
import { postgresInbox } from "../../src/webhooks/postgres/index.ts";
import { CONNECTIONS, INSERT_EFFECT } from "../queues/workload.ts";
import { EVENT, SECRET } from "../receiver/delivery.ts";

const [connectionString, handlerMs] = process.argv.slice(2);
const pool = new Pool({ connectionString, max: CONNECTIONS });

const receiver = createReceiver({
  inbox: postgresInbox({ client: pool }),
  // On two cores, fast handlers are faster in a few transactions that they share.
  work: { concurrency: Number(handlerMs) > 0 ? 10 : 3 },
  verify: standardWebhooks({ secrets: SECRET.toString("base64") }),
  on: {
    [EVENT]: async ({ body }, { tx, deliveryId }) => {
      if (Number(handlerMs) > 0) await sleep(Number(handlerMs));
      await tx.query(INSERT_EFFECT, [body.id, Number(deliveryId?.split("-").at(-1))]);
    },
  },
});

const server = createServer(toNodeHandler(receiver));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => {});
