import { FileError, reasonOf } from "../../errors.ts";
import { DatabaseSync } from "../../sqlite.ts";

/** How long one process waits for another's commit. */
const BUSY_TIMEOUT_MS = 10_000;

/** The code of "database is locked". */
const SQLITE_BUSY = 5;

/** How soon one process looks again whether another has set the file up. */
const RETRY_MS = 10;

/** A table as this version needs it. */
export interface Table {
  readonly name: string;
  /** Creates the table, as its first version was, and its indexes, unless they are there. */
  readonly schema: string;
  /** The definitions of columns that later versions added, by their names. */
  readonly added: Readonly<Record<string, string>>;
}

/**
 * Opens a database that several processes may share, and creates its table or brings it up to date.
 * A commit survives the end of the process; a power loss may take the latest back, but leaves the
 * file sound.
 *
 * @throws {TxfeedError} `file` if the file can't be opened, is not a database, or has no name.
 */
export function openDatabase(path: string, table: Table): DatabaseSync {
  // SQLite takes it for a database that nobody else sees and that ends with the process.
  if (path === "") throw new FileError("the path of a database is empty; give a file");
  try {
    const database = new DatabaseSync(path);
    prepare(database, table);
    return database;
  } catch (error) {
    throw new FileError(`${path}: can't be used as a database: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Sets a database up. Where several processes open a new file together, SQLite says at once that it
 * is busy, whatever its timeout: one that changes the journal's mode waits for nobody.
 */
function prepare(database: DatabaseSync, table: Table): void {
  const until = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      database.exec("PRAGMA journal_mode = WAL");
      database.exec("PRAGMA synchronous = NORMAL");
      inTransaction(database, () => create(database, table));
      return;
    } catch (error) {
      const isBusy = (error as { errcode?: unknown }).errcode === SQLITE_BUSY;
      if (!isBusy || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

function create(database: DatabaseSync, { name, schema, added }: Table): void {
  database.exec(schema);
  const rows = database.prepare("SELECT name FROM pragma_table_info(?)").all(name);
  const present = new Set(rows.map((row) => row["name"]));
  for (const [column, definition] of Object.entries(added)) {
    if (present.has(column)) continue;
    database.exec(`ALTER TABLE ${name} ADD COLUMN ${column} ${definition}`);
  }
}

/** Runs writes in one transaction, which is taken back if one throws. */
export function inTransaction<T>(database: DatabaseSync, run: () => T): T {
  // Not deferred: who first reads and then writes is refused at once when another wrote meanwhile.
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = run();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    // SQLite takes some failures back by itself; what went wrong is the first error.
    try {
      database.exec("ROLLBACK");
    } catch {}
    throw error;
  }
}
