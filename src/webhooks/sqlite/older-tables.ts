import type { DatabaseSync } from "../../sqlite.ts";
import { createLaneOf } from "../lane.ts";

const laneOf = createLaneOf("resource");

/**
 * Moves the rows of the tables that txfeed 0.1.0 and its later queue used, and drops the tables.
 * This is repeated each time a file is opened, because a process of the older version that starts
 * later creates its tables again.
 *
 * The lane of a delivery is its resource, and its place is that of its id. A lane waits for the
 * delay or the lease of its first delivery; the first `take` restarts those that are measured by
 * the wall clock. Claims are dropped: their processes have ended.
 */
export function importOlderTables(database: DatabaseSync): void {
  if (hasTable(database, "webhook_duplicates")) importHandled(database);
  if (hasTable(database, "webhook_queue")) importQueue(database);
}

function importHandled(database: DatabaseSync): void {
  const period = columnOr(database, "webhook_duplicates", "period_ms", "0");
  database.exec(`
    INSERT INTO webhook_handled (key, expires_at, period_ms)
      SELECT key, expires_at, ${period} FROM webhook_duplicates WHERE token IS NULL
      ON CONFLICT (key) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at);
    DROP TABLE webhook_duplicates;
  `);
}

function importQueue(database: DatabaseSync): void {
  const [delay, failures, interruptions] = ["delay_ms", "failures", "interruptions"].map((name) =>
    columnOr(database, "webhook_queue", name, "0"),
  );
  // A delivery that was handled, and not removed before its process ended, is not handled again.
  const rows = database.prepare(`
    SELECT q.key, q.event, q.body, q.received_at AS receivedAt, q.due_at AS dueAt, q.reason,
      ${delay} AS delayMs, ${failures} AS failures, ${interruptions} AS interruptions
    FROM webhook_queue q
    WHERE q.due_at IS NULL OR q.key IS NULL OR q.key NOT IN (SELECT key FROM webhook_handled)
    ORDER BY q.id
  `);
  const addLane = database.prepare(`
    INSERT INTO webhook_lane (name, due_at, delay_ms, interruptions)
      VALUES (:name, :dueAt, :delayMs, :interruptions)
      ON CONFLICT (name) DO UPDATE SET due_at = coalesce(due_at, excluded.due_at),
        delay_ms = iif(due_at IS NULL, excluded.delay_ms, delay_ms),
        interruptions = iif(due_at IS NULL, excluded.interruptions, interruptions)
      RETURNING id
  `);
  const addDelivery = database.prepare(`
    INSERT INTO webhook_delivery
      (lane_id, is_quarantined, key, failures, reason, received_at, event, headers, body)
      VALUES (:laneId, :isQuarantined, :key, :failures, :reason, :receivedAt, :event, '{}', :body)
      ON CONFLICT (key) DO NOTHING
  `);
  for (const row of rows.iterate()) {
    const { key, event, body, receivedAt, reason, failures: failed } = row;
    const lane = laneNamed(String(event), String(body));
    const name = lane === null ? null : `=${lane}`;
    const [dueAt, delayMs] = [row["dueAt"], Number(row["delayMs"])];
    const isQuarantined = dueAt === null;
    const waits = {
      dueAt: isQuarantined ? null : Number(dueAt),
      delayMs: isQuarantined ? 0 : delayMs,
      interruptions: isQuarantined ? 0 : Number(row["interruptions"]),
    };
    const laneId = addLane.get({ name, ...waits })?.["id"] ?? null;
    const values = { laneId, isQuarantined: isQuarantined ? 1 : 0, failures: failed ?? 0 };
    const texts = { key, event, body, receivedAt, reason } as Record<string, string | null>;
    addDelivery.run({ ...values, ...texts });
  }
  database.exec("DROP TABLE webhook_queue");
}

function laneNamed(name: string, body: string): string | null {
  try {
    // An unknown name has no resource.
    return laneOf({ name, body: JSON.parse(body) } as Parameters<typeof laneOf>[0]);
  } catch {
    return null;
  }
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_info(?)").get(name) !== undefined;
}

/** The name of a column, or a value if an older version did not have it. */
function columnOr(database: DatabaseSync, table: string, name: string, value: string): string {
  const found = database
    .prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?")
    .get(table, name);
  return found ? name : value;
}
