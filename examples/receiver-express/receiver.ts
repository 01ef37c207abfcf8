import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import express from "express";
import { createFeedClient } from "txfeed/client";
import type { KnownEvent } from "txfeed/contract";
import { createReceiver, type HandlerContext, isNewer, standardWebhooks } from "txfeed/webhooks";
import { toExpressHandler } from "txfeed/webhooks/express";
import { type SqliteTransaction, sqliteInbox } from "txfeed/webhooks/sqlite";

const { PORT = "3000", DATABASE = "feed.db", WEBHOOK_SECRET = "" } = process.env;

const feed = createFeedClient({
  baseUrl: process.env.TXFEED_BASE_URL ?? "",
  accountId: process.env.TXFEED_ACCOUNT_ID ?? "",
  clientId: process.env.TXFEED_CLIENT_ID ?? "",
  clientSecret: process.env.TXFEED_CLIENT_SECRET ?? "",
});

const setup = new DatabaseSync(DATABASE);
setup.exec(
  "CREATE TABLE IF NOT EXISTS card_transaction (id TEXT PRIMARY KEY, event TEXT NOT NULL)",
);
setup.close();

type TransactionEvent = KnownEvent<"transaction.created" | "transaction.updated">;

/** Stores the event's transaction, unless the stored one is newer. */
async function upsert(
  event: TransactionEvent,
  { attempt, tx }: HandlerContext<SqliteTransaction>,
): Promise<void> {
  // If the events did not decide which state is newer, the next attempt asks the service.
  const latest = attempt === 1 ? event : await fetchLatest(event);
  const { id } = latest.body;
  tx((database) => {
    const row = database.prepare("SELECT event FROM card_transaction WHERE id = ?").get(id);
    const newer = isNewer(latest, row && JSON.parse(String(row["event"])));
    if (newer === false) return;
    if (newer === "undecidable" && latest === event) throw new Error(`${id} has to be fetched`);
    const save = database.prepare("INSERT OR REPLACE INTO card_transaction VALUES (?, ?)");
    save.run(id, JSON.stringify(latest));
  });
}

async function fetchLatest(event: TransactionEvent): Promise<TransactionEvent> {
  const body = await feed.transactions.get(event.body.id);
  const latest = { name: "transaction.updated", body } as const;
  if (isNewer(event, latest) === true) throw new Error("the response is behind the event");
  return latest;
}

const inbox = sqliteInbox({ path: DATABASE });
const receiver = createReceiver({
  on: { "transaction.created": upsert, "transaction.updated": upsert },
  verify: standardWebhooks({ secrets: WEBHOOK_SECRET }),
  inbox,
  onDelivery: ({ event, outcome, reason, error }) =>
    console.log([event, outcome, reason, error].filter(Boolean).join(" ")),
});

const app = express();
// The receiver reads the raw body: mount it before express.json().
app.post("/webhooks", toExpressHandler(receiver));
app.get("/healthz", async (_request, response) => {
  const health = await receiver.health();
  response.status(health.ok ? 200 : 503).json(health);
});
const server = app.listen(Number(PORT));
await once(server, "listening");
console.log(`listening on port ${(server.address() as AddressInfo).port}`);

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
server.close();
await once(server, "close");
await receiver.close();
inbox.close();
