/**
 * Deliveries per second that `postgresInbox` receives and handles at the same time, each with an
 * effect in its transaction.
 *
 *     node bench/receiver/postgres.ts URL [DELIVERIES] [pg|postgres]
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import postgres from "postgres";
import type { Inbox, NewDelivery, Settlement } from "../../src/webhooks/inbox.ts";
import { postgresInbox } from "../../src/webhooks/postgres/index.ts";

const CONNECTIONS = 16;
const LANES = 500;
const BODY_BYTES = 2500;
/** How many senders wait for their acknowledgement before they send the next delivery. */
const SENDERS = 64;
const WORKERS = 4;
const LANES_PER_TAKE = 32;
const BATCH_MS = 20;
const LEASE_MS = 10_000;

const [url = "", count = "20000", driver = "pg"] = process.argv.slice(2);
const total = Number(count);
const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
await pool.query("DROP SCHEMA IF EXISTS bench CASCADE");
await pool.query("DROP TABLE IF EXISTS effect");
await pool.query("CREATE TABLE effect (n serial, lane text NOT NULL, seq integer NOT NULL)");

const body = JSON.stringify({ text: '{"amount": 12}'.repeat(BODY_BYTES) }).slice(0, BODY_BYTES);
const receipts: number[] = [];
const settings = { schema: "bench" };

async function receive<Tx>(inbox: Inbox<Tx>): Promise<void> {
  let next = 0;
  const sender = async () => {
    while (next < total) {
      const n = next++;
      const delivery: NewDelivery = {
        key: `key-${n}`,
        lane: `transaction ${n % LANES}`,
        event: "transaction.updated",
        body,
        headers: { "webhook-id": `msg_${n}` },
        deliveryId: `${Math.floor(n / LANES)}`,
        receivedAt: new Date().toISOString(),
      };
      const start = performance.now();
      await inbox.add(delivery);
      receipts.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

async function handle<Tx>(
  inbox: Inbox<Tx>,
  effect: (tx: Tx, lane: string, seq: number) => PromiseLike<unknown>,
): Promise<void> {
  let left = total;
  const worker = async () => {
    while (left > 0) {
      const leases = await inbox.take(LANES_PER_TAKE, LEASE_MS);
      if (leases.length === 0) await sleep(5);
      for (let at = 0; at < leases.length; ) {
        await inbox.transaction(async (runPart) => {
          const settlements: Settlement[] = [];
          const until = performance.now() + BATCH_MS;
          while (at < leases.length && performance.now() < until) {
            const lease = leases[at++];
            if (!lease) break;
            for (const { lane, deliveryId } of lease.deliveries) {
              await runPart((tx) => effect(tx, lane ?? "", Number(deliveryId)));
            }
            const handled = lease.deliveries.map(({ id }) => id);
            left -= handled.length;
            settlements.push({ lease, handled, quarantined: [] });
          }
          return settlements;
        });
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

const start = performance.now();
let received = 0;
const both = <Tx>(inbox: Inbox<Tx>, effect: Parameters<typeof handle<Tx>>[1]) =>
  Promise.all([
    receive(inbox).then(() => {
      received = performance.now() - start;
    }),
    handle(inbox, effect),
  ]);
const INSERT = "INSERT INTO effect (lane, seq) VALUES ($1, $2)";
if (driver === "postgres") {
  const client = postgres(url, { max: CONNECTIONS, onnotice: () => undefined });
  await both(postgresInbox({ client, ...settings }), (tx, lane, seq) =>
    tx.unsafe(INSERT, [lane, seq], { prepare: true }),
  );
  await client.end();
} else {
  const inbox = postgresInbox({ client: pool, ...settings });
  await both(inbox, (tx, lane, seq) => tx.query(INSERT, [lane, seq]));
}
const handledMs = performance.now() - start;

const { rows } = await pool.query(`
  SELECT count(*)::int AS effects, count(DISTINCT (lane, seq))::int AS different,
    (SELECT count(*)::int FROM (
      SELECT seq < lag(seq) OVER (PARTITION BY lane ORDER BY n) AS wrong FROM effect
    ) AS pairs WHERE wrong) AS disordered
  FROM effect`);
await pool.end();
receipts.sort((a, b) => a - b);
const percentile = (share: number) =>
  (receipts[Math.floor(receipts.length * share)] ?? 0).toFixed(1);
const rate = (ms: number) => Math.round((total / ms) * 1000);
console.log(
  `${driver}: received ${rate(received)}/s, received and handled ${rate(handledMs)}/s, ` +
    `receipt p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms; ` +
    `effects ${rows[0].effects} (${rows[0].different} different, ${rows[0].disordered} disordered)`,
);
