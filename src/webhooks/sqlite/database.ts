import { DatabaseSync } from "node:sqlite";
import { reasonOf, TxfeedError } from "../../errors.ts";

/** How long one process waits for another's commit. */
const BUSY_TIMEOUT_MS = 10_000;

/** The code of "database is locked". */
const SQLITE_BUSY = 5;

/** How soon one process looks again whether another has set the file up. */
const RETRY_MS = 10;

/**
 * Opens a database that several processes may share, and sees to its tables. A commit survives the
 * end of the process; a power loss may take the latest back, but leaves the file sound.
 *
 * @throws TxfeedError `file` where the file can't be opened or is no database, or has no name.
 */
export function openDatabase(path: string, schema: string): DatabaseSync {
  // SQLite takes it for a database that nobody else sees and that ends with the process.
  if (path === "") throw new TxfeedError("file", "the path of a database is empty; give a file");
  try {
    const database = new DatabaseSync(path);
    prepare(database, schema);
    return database;
  } catch (error) {
    throw new TxfeedError("file", `${path}: can't be used as a database: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Sets a database up. Where several processes open a new file together, SQLite says at once that it
 * is busy, whatever its timeout: one that changes the journal's mode waits for nobody.
 */
function prepare(database: DatabaseSync, schema: string): void {
  const until = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      database.exec("PRAGMA journal_mode = WAL");
      database.exec("PRAGMA synchronous = NORMAL");
      database.exec(schema);
      return;
    } catch (error) {
      const isBusy = (error as { errcode?: unknown }).errcode === SQLITE_BUSY;
      if (!isBusy || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
