import { notFound } from "../../world/refusal.ts";
import { STATE_TABLES } from "./schema.ts";
import type { SqliteStore } from "./store.ts";

const tableOf = (name: string, table: string) => `"snapshot:${name}:${table}"`;

/** The names of the snapshots, in alphabetical order. */
export function snapshotNames(store: SqliteStore): string[] {
  return store
    .sql(
      `SELECT substr(name, 10, length(name) - 14) AS name FROM sqlite_schema
       WHERE type = 'table' AND name GLOB 'snapshot:*:meta' ORDER BY name`,
    )
    .all()
    .map(({ name }) => name as string);
}

/** Takes a snapshot of the whole state, and replaces one of the same name. */
export function takeSnapshot({ database }: SqliteStore, name: string): void {
  for (const table of STATE_TABLES) {
    database.exec(`DROP TABLE IF EXISTS ${tableOf(name, table)}`);
    database.exec(`CREATE TABLE ${tableOf(name, table)} AS SELECT * FROM ${table}`);
  }
}

/** Replaces the whole state by a snapshot. Throws a Refusal 404. */
export function restoreSnapshot(store: SqliteStore, name: string): void {
  if (!snapshotNames(store).includes(name)) throw notFound("snapshot", name);
  for (const table of STATE_TABLES) {
    store.database.exec(`DELETE FROM ${table}`);
    store.database.exec(`INSERT INTO ${table} SELECT * FROM ${tableOf(name, table)}`);
  }
}
