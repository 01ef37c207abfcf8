import { UsageError } from "../../errors.ts";
import type { DatabaseSync } from "../../sqlite.ts";

const VERSION = 1;

const TABLES = `
  -- A lane has a row while it has deliveries or a lease. name: '=' and the lane, '#' and a UUID for
  -- a delivery without one, or '#key ' and a key that "once" handles. due_at: the end of its lease,
  -- if it has a token, or of its delay, by the uptime of the machine; null if nothing waits. The
  -- time began at due_at - delay_ms. interruptions: how often it was taken since a settlement.
  CREATE TABLE webhook_lane (
    name TEXT PRIMARY KEY,
    due_at INTEGER,
    delay_ms INTEGER NOT NULL DEFAULT 0,
    token TEXT,
    interruptions INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX webhook_lane_due ON webhook_lane (due_at) WHERE due_at IS NOT NULL;

  CREATE TABLE webhook_delivery (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT UNIQUE,
    lane TEXT NOT NULL,
    event TEXT NOT NULL,
    headers TEXT NOT NULL,
    delivery_id TEXT,
    received_at TEXT NOT NULL,
    quarantined INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX webhook_delivery_waiting ON webhook_delivery (lane, id) WHERE NOT quarantined;
  CREATE INDEX webhook_delivery_quarantined ON webhook_delivery (lane, id) WHERE quarantined;

  -- The keys of handled deliveries. expires_at follows the wall clock, because it must survive a
  -- restart of the machine. The row was written at expires_at - period_ms.
  CREATE TABLE webhook_handled (
    key TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL,
    period_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_handled_expiry ON webhook_handled (expires_at);

  INSERT INTO webhook_version VALUES (${VERSION});
`;

/**
 * Creates the tables, within a transaction. The file may have other tables, so the version is in a
 * table of its own.
 *
 * @throws {TxfeedError} `usage` if the tables are those of a newer version.
 */
export function createTables(database: DatabaseSync): void {
  database.exec("CREATE TABLE IF NOT EXISTS webhook_version (version INTEGER NOT NULL) STRICT");
  const row = database.prepare("SELECT version FROM webhook_version").get();
  if (!row) database.exec(TABLES);
  if (!row || Number(row["version"]) <= VERSION) return;
  const found = `its tables have version ${row["version"]}, this txfeed knows ${VERSION}`;
  throw new UsageError(`${found}; install the txfeed that wrote it, or a later one`);
}
