import { DatabaseSync } from "node:sqlite";
import { createReceiver } from "../../src/webhooks/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { EVENT } from "../receiver/delivery.ts";
import { bodyText, type GrowthStore, laneOf, verify, YEAR_MS } from "./store.ts";

/** A store on SQLite. */
export async function openSqlite(path: string): Promise<GrowthStore> {
  // Creates the tables.
  sqliteInbox({ path }).close();
  const database = new DatabaseSync(path, { timeout: 10_000 });
  database.exec("CREATE TABLE effect (id TEXT NOT NULL)");

  /** Adds deliveries to a lane, or to a lane each. */
  function insert(
    name: string | null,
    count: number,
    isQuarantined: 0 | 1,
    delayMs: number | null,
  ): void {
    const now = Number(process.hrtime.bigint() / 1_000_000n);
    const dueAt = delayMs === null ? null : now + delayMs;
    const addLane = database.prepare(
      `INSERT INTO webhook_lane (name, due_at, delay_ms) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at`,
    );
    const add = database.prepare(
      `INSERT INTO webhook_delivery
         (lane, quarantined, key, received_at, event, headers, body)
       VALUES (?, ?, ?, '2025-03-04T12:30:16.120Z', '${EVENT}', '{}', ?)`,
    );
    const body = name === null ? "{}" : bodyText(0);
    for (let at = 0; at < count; at += 1) {
      const id = crypto.randomUUID();
      const lane = name ?? `=parked-${id}`;
      addLane.run(lane, dueAt, delayMs ?? 0);
      add.run(lane, isQuarantined, id, body);
    }
  }

  return {
    async fill({ others, waiting, quarantined }) {
      const lane = `=${laneOf(0)}`;
      database.exec("BEGIN");
      insert(null, others / 2, 0, YEAR_MS);
      insert(null, others / 2, 1, null);
      insert(lane, quarantined, 1, 0);
      insert(lane, waiting, 0, 0);
      database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    },
    start(work) {
      const inbox = sqliteInbox({ path });
      const receiver = createReceiver({
        inbox,
        on: {
          [EVENT]: ({ body }, { tx }) =>
            tx((own) => void own.prepare("INSERT INTO effect VALUES (?)").run(body.id)),
        },
        verify,
        work,
      });
      const end = async () => {
        await receiver.close();
        inbox.close();
      };
      return { receiver, end };
    },
    async countEffects() {
      return Number(database.prepare("SELECT count(*) AS count FROM effect").get()?.["count"]);
    },
    async clearEffects() {
      database.exec("DELETE FROM effect");
    },
    async close() {
      database.close();
    },
  };
}
