/** `npm start`: two receivers and two workers keep a ledger of bank postings; a worker is killed. */
import cluster from "node:cluster";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { createSandbox } from "txfeed/sandbox";
import { postgresInbox } from "txfeed/webhooks/postgres";
import { startPostgres } from "./postgres.ts";

const WEBHOOK_SECRET = `whsec_${btoa("the secret of an example")}`;
const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);

const { DATABASE_URL: url } = process.env;
const server = url ? { url, stop: () => undefined } : await startPostgres();
const admin = new pg.Pool({ connectionString: server.url });
await admin.query("DROP DATABASE IF EXISTS fleet_example").catch((error) => {
  console.error(`DATABASE_URL can't be used: ${error.code}, ${error.message}`);
  process.exit(2);
});
await admin.query("CREATE DATABASE fleet_example");
const DATABASE_URL = Object.assign(new URL(server.url), { pathname: "/fleet_example" }).href;
const pool = new pg.Pool({ connectionString: DATABASE_URL });
await pool.query("CREATE TABLE ledger (id uuid, amount numeric)");
await pool.query("CREATE TABLE outbox (topic text, id uuid)");
const inbox = postgresInbox({ client: pool });
const sandbox = await createSandbox({ clock: "frozen" });

cluster.setupPrimary({ exec: join(import.meta.dirname, "service.ts") });
const start = (ROLE: string) => cluster.fork({ ROLE, DATABASE_URL, WEBHOOK_SECRET, PORT: "0" });
const receivers = [start("receiver"), start("receiver")];
const listening = Promise.all(receivers.map((receiver) => once(receiver, "listening")));
const victim = start("worker");
const fleet = [...receivers, start("worker"), victim];
const ended = Promise.all(fleet.map((service) => once(service, "exit")));

/** Triggers events, kills a worker, and waits until the other one has handled all events. */
async function play(): Promise<"played"> {
  const { port } = (await listening).flat()[0];
  await sandbox.addEndpoint({ url: `http://127.0.0.1:${port}`, secret: WEBHOOK_SECRET });
  await sandbox.setFaults({ deliveries: [{ kind: "duplicate" }] });
  for (let posting = 1; posting <= 100; posting += 1) {
    await sandbox.trigger("bank-post", { amount: posting });
    if (posting % 2 === 0) await sandbox.trigger("provider-remove");
    if (posting % 10 === 0) await sandbox.settle();
    if (posting === 50) victim.process.kill("SIGKILL");
  }
  while ((await inbox.status()).waiting > 0) await wait(100);
  return "played";
}

try {
  const isPlayed = (await Promise.race([play(), ended, interrupted])) === "played";
  for (const { process } of fleet) process.kill("SIGTERM");
  await ended;
  const totals = "SELECT concat(count(*), ' entries, balance ', sum(amount)) AS ledger FROM ledger";
  const [{ ledger }] = (await pool.query(totals)).rows;
  console.log(`ledger: ${ledger}`);
  // Half of the postings were cancelled, so that 1 + 3 + ... + 99 remains.
  const isRight = isPlayed && ledger === "150 entries, balance 2500";
  console.log(isRight ? "✓ each event took effect once, in order" : "✗ stopped, or wrong");
  process.exitCode = isRight ? 0 : 1;
} finally {
  await Promise.all([sandbox.close(), inbox.close()]);
  await pool.end();
  await admin.query("DROP DATABASE fleet_example WITH (FORCE)");
  await admin.end();
  await server.stop();
}
