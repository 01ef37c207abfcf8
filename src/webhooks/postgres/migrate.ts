import { UsageError } from "../../errors.ts";
import type { Connection, Database } from "./database.ts";
import { schema1 } from "./schema-1/index.ts";

/** The statements of each version; the first one creates version 1. */
const VERSIONS = [schema1];

/**
 * Creates the tables and functions in the schema, or brings an older version up to date. Of
 * concurrent calls in any process, one does it and the others wait.
 *
 * @param schema The quoted name.
 * @throws {TxfeedError} `usage` if a later version of the package has changed the schema.
 */
export async function migrate(database: Database<unknown>, schema: string): Promise<void> {
  await database.transaction(async (connection) => {
    const lock = "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))::text AS locked";
    await connection.query(lock, [`txfeed migration ${schema}`]);
    // CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even if the schema exists.
    const find = "SELECT to_regnamespace($1::text)::text AS name";
    const [found] = await connection.query(find, [schema]);
    if (found?.["name"] === null) await connection.query(`CREATE SCHEMA ${schema}`, []);
    await connection.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.migration (
        version integer PRIMARY KEY,
        applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`,
      [],
    );
    const current = await versionOf(connection, schema);
    for (const [index, statements] of VERSIONS.entries()) {
      const version = index + 1;
      if (version <= current) continue;
      for (const statement of statements(schema)) await connection.query(statement, []);
      const record = `INSERT INTO ${schema}.migration (version) VALUES ($1::text::integer)`;
      await connection.query(record, [String(version)]);
    }
  });
}

/**
 * Returns whether the schema has the version of this package; false if it is older or missing.
 *
 * @throws {TxfeedError} `usage` if it is newer.
 */
export async function isCurrent(database: Database<unknown>, schema: string): Promise<boolean> {
  const find = "SELECT to_regclass($1::text)::text AS name";
  const [found] = await database.query(find, [`${schema}.migration`]);
  return found?.["name"] !== null && (await versionOf(database, schema)) === VERSIONS.length;
}

/** Returns 0 if no version was installed. */
async function versionOf(connection: Connection, schema: string): Promise<number> {
  const statement = `SELECT max(version)::text AS version FROM ${schema}.migration`;
  const [row] = await connection.query(statement, []);
  const version = Number(row?.["version"] ?? 0);
  if (version > VERSIONS.length) {
    throw new UsageError(
      `postgresInbox: the schema ${schema} has version ${version}, and this release of txfeed ` +
        `supports up to ${VERSIONS.length}; update txfeed`,
    );
  }
  return version;
}
