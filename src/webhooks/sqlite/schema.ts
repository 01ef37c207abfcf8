import { UsageError } from "../../errors.ts";
import type { DatabaseSync } from "../../sqlite.ts";
import { importOlderTables } from "./older-tables.ts";

/**
 * The statements that lead from each version of the tables to the next. A released one never
 * changes.
 *
 * `webhook_lane`: `name` is `=` and the lane, `#` and the key that `once` handles, or null for a
 * delivery without a lane. `due_at` is the end of a lease, if there is a token, or of a delay; it
 * is null if nothing waits. It began at due_at - delay_ms; if that is in the future, the machine
 * was restarted. `interruptions` counts how often the lane was taken since its last settlement.
 *
 * `webhook_handled`: `expires_at` follows the wall clock, because it must survive a restart of the
 * machine. The row was written at expires_at - period_ms.
 */
const MIGRATIONS: readonly string[] = [
  `
    CREATE TABLE webhook_lane (
      id INTEGER PRIMARY KEY,
      name TEXT UNIQUE,
      due_at INTEGER,
      delay_ms INTEGER NOT NULL DEFAULT 0,
      token TEXT,
      interruptions INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX webhook_lane_due ON webhook_lane (due_at) WHERE due_at IS NOT NULL;
    CREATE TABLE webhook_delivery (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      lane_id INTEGER NOT NULL REFERENCES webhook_lane,
      is_quarantined INTEGER NOT NULL DEFAULT 0,
      key TEXT UNIQUE,
      failures INTEGER NOT NULL DEFAULT 0,
      reason TEXT,
      received_at TEXT NOT NULL,
      delivery_id TEXT,
      event TEXT NOT NULL,
      headers TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX webhook_delivery_lane ON webhook_delivery (lane_id, is_quarantined, id);
    CREATE TABLE webhook_handled (
      key TEXT PRIMARY KEY,
      expires_at INTEGER NOT NULL,
      period_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhook_handled_expiry ON webhook_handled (expires_at);
  `,
];

/**
 * Creates the tables, or migrates those of an older version, within a transaction. The file may
 * have other tables, so the version is in a table of its own.
 *
 * @throws {TxfeedError} `usage` if the tables are those of a newer version.
 */
export function migrate(database: DatabaseSync): void {
  database.exec("CREATE TABLE IF NOT EXISTS webhook_version (version INTEGER NOT NULL) STRICT");
  const row = database.prepare("SELECT version FROM webhook_version").get();
  const version = Number(row?.["version"] ?? 0);
  const known = MIGRATIONS.length;
  if (version > known) {
    const found = `its tables have version ${version}, this txfeed knows ${known}`;
    throw new UsageError(`${found}; install the txfeed that wrote it, or a later one`);
  }
  if (!row) database.exec("INSERT INTO webhook_version VALUES (0)");
  for (const statements of MIGRATIONS.slice(version)) database.exec(statements);
  database.prepare("UPDATE webhook_version SET version = ?").run(known);
  importOlderTables(database);
}
