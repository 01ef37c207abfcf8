/** A receiver, or with ROLE=worker a worker. Any number of both share the inbox. */
import { once } from "node:events";
import { createServer } from "node:http";
import pg from "pg";
import { createReceiver, standardWebhooks } from "txfeed/webhooks";
import { toNodeHandler } from "txfeed/webhooks/node";
import { postgresInbox } from "txfeed/webhooks/postgres";

const { ROLE, PORT = "3000", DATABASE_URL, WEBHOOK_SECRET = "" } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL });
const inbox = postgresInbox({ client: pool });
const counts: Record<string, number> = {};

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: WEBHOOK_SECRET }),
  inbox,
  // Another worker takes over 2 s after one was killed.
  work: ROLE === "worker" ? { leaseMs: 2000 } : false,
  on: {
    // All statements of `tx` take effect, once, or none does.
    async "banktransaction.created"({ body }, { tx }) {
      await tx.query("INSERT INTO ledger VALUES ($1, $2)", [body.id, body.amount]);
      await tx.query("INSERT INTO outbox VALUES ('posted', $1)", [body.id]);
    },
    // The ledger already has the posting, because events of one resource are handled in order.
    async "banktransaction.deleted"({ body }, { tx }) {
      const cancel = "INSERT INTO ledger SELECT id, -amount FROM ledger WHERE id = $1";
      const { rowCount } = await tx.query(cancel, [body.id]);
      if (rowCount !== 1) throw new Error(`the ledger has ${rowCount} entries of ${body.id}`);
      await tx.query("INSERT INTO outbox VALUES ('cancelled', $1)", [body.id]);
    },
  },
  onDelivery({ event, outcome, error }) {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (error) console.error(event, outcome, error);
  },
});

const server = createServer(toNodeHandler(receiver));
if (ROLE === "receiver") server.listen(Number(PORT));

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
if (server.listening) await once(server.close(), "close");
await receiver.close();
await inbox.close();
await pool.end();
console.log(`${ROLE} ${process.pid}:`, counts);
process.exit();
