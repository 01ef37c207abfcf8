import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** The tables of the queue and of the duplicates, as each version created them. */
export const SCHEMAS = {
  "0.1.0": `
    CREATE TABLE webhook_queue (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT UNIQUE,
      event TEXT NOT NULL,
      body TEXT NOT NULL,
      received_at TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER DEFAULT 0,
      reason TEXT
    ) STRICT;
    CREATE INDEX webhook_queue_due ON webhook_queue (due_at);
    CREATE TABLE webhook_duplicates (
      key TEXT PRIMARY KEY,
      token TEXT,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhook_duplicates_expiry ON webhook_duplicates (expires_at);
  `,
  "with counts and delays": `
    CREATE TABLE webhook_queue (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT UNIQUE,
      event TEXT NOT NULL,
      body TEXT NOT NULL,
      received_at TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER DEFAULT 0,
      reason TEXT
    ) STRICT;
    CREATE INDEX webhook_queue_due ON webhook_queue (due_at);
    ALTER TABLE webhook_queue ADD COLUMN delay_ms INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE webhook_queue ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE webhook_queue ADD COLUMN interruptions INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE webhook_queue ADD COLUMN token TEXT;
    CREATE TABLE webhook_duplicates (
      key TEXT PRIMARY KEY,
      token TEXT,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhook_duplicates_expiry ON webhook_duplicates (expires_at);
    ALTER TABLE webhook_duplicates ADD COLUMN owner TEXT;
    ALTER TABLE webhook_duplicates ADD COLUMN period_ms INTEGER NOT NULL DEFAULT 0;
  `,
} as const;

export type OlderVersion = keyof typeof SCHEMAS;

/** A row, by the names of its columns. */
export type OlderRow = Readonly<Record<string, SQLInputValue>>;

/** Writes a file of an older version, whose process was killed. Adds to the file if it exists. */
export function writeOlderFile(
  path: string,
  version: OlderVersion,
  queue: readonly OlderRow[],
  duplicates: readonly OlderRow[] = [],
): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; BEGIN");
  database.exec(SCHEMAS[version]);
  for (const [table, rows] of Object.entries({ queue, duplicates })) {
    for (const row of rows) {
      const names = Object.keys(row);
      const places = names.map(() => "?").join(", ");
      database
        .prepare(`INSERT INTO webhook_${table} (${names.join(", ")}) VALUES (${places})`)
        .run(...Object.values(row));
    }
  }
  database.exec("COMMIT");
  database.close();
}
