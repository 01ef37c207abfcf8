import process from "node:process";
import { FileError, reasonOf } from "../../errors.ts";
import { DatabaseSync } from "../../sqlite.ts";

/** How long a process waits for the commit of another. */
const BUSY_TIMEOUT_MS = 10_000;

/** The error code of "database is locked". */
const SQLITE_BUSY = 5;

/** The pause before the next attempt to set up a file. */
const RETRY_MS = 10;

/**
 * Opens a database that several processes may share. A commit survives the end of the process. A
 * power loss may undo the latest commits, but does not corrupt the file.
 *
 * @param setUp Creates or migrates the tables, in a transaction. It may run again if another
 * process does the same.
 * @throws {TxfeedError} `file` if the file can't be opened, is not a database, or has no name.
 */
export function openDatabase(path: string, setUp: (database: DatabaseSync) => void): DatabaseSync {
  // SQLite would open a private database that is deleted with the process.
  if (path === "") throw new FileError("the path of a database is empty; give a file");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    prepare(database, setUp);
    return database;
  } catch (error) {
    database?.close();
    throw new FileError(`${path}: can't be used as a database: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Sets up a database. Retries while another process does the same: changing the journal mode fails
 * with SQLITE_BUSY at once, regardless of the timeout.
 */
function prepare(database: DatabaseSync, setUp: (database: DatabaseSync) => void): void {
  const until = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      database.exec("PRAGMA journal_mode = WAL");
      database.exec("PRAGMA synchronous = NORMAL");
      inTransaction(database, () => setUp(database));
      return;
    } catch (error) {
      const isBusy = (error as { errcode?: unknown }).errcode === SQLITE_BUSY;
      if (!isBusy || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** Runs writes in a transaction, which is rolled back if one throws. */
export function inTransaction<T>(database: DatabaseSync, run: () => T): T {
  // Not deferred: a transaction that reads first can't write if another process wrote meanwhile.
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = run();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    // SQLite rolls some failures back itself, and ROLLBACK then fails. Report the first error.
    try {
      database.exec("ROLLBACK");
    } catch {}
    throw error;
  }
}

/**
 * Milliseconds since the machine started. All its processes share this clock, and setting the wall
 * clock does not change it.
 */
export function uptimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
