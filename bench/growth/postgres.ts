import { Pool } from "pg";
import { createReceiver } from "../../src/webhooks/index.ts";
import { postgresInbox } from "../../src/webhooks/postgres/index.ts";
import { EVENT } from "../receiver/delivery.ts";
import { bodyText, type GrowthStore, laneOf, verify, YEAR_MS } from "./store.ts";

const CONNECTIONS = 10;

// $1: the lane, null for a lane each; $2: how many; $3: when the lane is due, in milliseconds;
// $4: the body.
const fillSql = (isQuarantined: boolean) => `
  WITH filled AS (
    INSERT INTO txfeed.delivery (key, lane, event, headers, received_at, quarantined, body)
    SELECT gen_random_uuid()::text, coalesce($1, '=parked-' || gen_random_uuid()), '${EVENT}', '{}',
      '2025-03-04T12:30:16.120Z', ${isQuarantined}, $4
    FROM generate_series(1, $2::integer)
    RETURNING lane
  )
  INSERT INTO txfeed.lane (name, due_at) SELECT DISTINCT lane, $3::bigint FROM filled
  ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at`;

/** A store on Postgres. */
export async function openPostgres(connectionString: string): Promise<GrowthStore> {
  const pool = new Pool({ connectionString, max: 5 });
  await pool.query("CREATE TABLE effect (id text NOT NULL)");
  const inbox = postgresInbox({ client: pool });
  await inbox.migrate();
  return {
    async fill({ others, waiting, quarantined }) {
      const insert = (isQuarantined: boolean, values: readonly unknown[]) =>
        pool.query(fillSql(isQuarantined), [...values]);
      const [lane, now] = [`=${laneOf(0)}`, Date.now()];
      await insert(false, [null, others / 2, now + YEAR_MS, "{}"]);
      await insert(true, [null, others / 2, null, "{}"]);
      await insert(true, [lane, quarantined, now, bodyText(0)]);
      await insert(false, [lane, waiting, now, bodyText(0)]);
      // As autovacuum does within a minute.
      await pool.query("VACUUM ANALYZE");
    },
    start(work) {
      const client = new Pool({ connectionString, max: CONNECTIONS });
      const own = postgresInbox({ client });
      const receiver = createReceiver({
        inbox: own,
        on: {
          [EVENT]: ({ body }, { tx }) => tx.query("INSERT INTO effect VALUES ($1)", [body.id]),
        },
        verify,
        work,
      });
      const end = async () => {
        await receiver.close();
        await own.close();
        await client.end();
      };
      return { receiver, end };
    },
    async countEffects() {
      const { rows } = await pool.query("SELECT count(*)::integer AS count FROM effect");
      return rows[0].count;
    },
    async clearEffects() {
      await pool.query("TRUNCATE effect");
    },
    async close() {
      await inbox.close();
      await pool.end();
    },
  };
}
