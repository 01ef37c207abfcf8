import process from "node:process";
import { FileError, reasonOf } from "../../errors.ts";
import { DatabaseSync } from "../../sqlite.ts";
import { WAIT_MS } from "../store.ts";

/** The pause before the next attempt. SQLite's own wait would block the event loop. */
export const RETRY_MS = 3;

const BUSY = 5;

/** The codes of SQLite for errors of the file: read-only, I/O, corrupt, full, can't be opened. */
const FILE_CODES = [BUSY, 8, 10, 11, 13, 14, 26];

/** The primary code of an error of SQLite; 0 for other errors. */
const codeOf = (error: unknown) => Number(Object(error).errcode) & 0xff;

export const isBusy = (error: unknown) => codeOf(error) === BUSY;

/** Converts an error of the file, which depends on no statement; returns others unchanged. */
export function fileErrorOf(path: string, error: unknown): unknown {
  if (!FILE_CODES.includes(codeOf(error))) return error;
  const reason = isBusy(error)
    ? "is locked by another process; stop it, or end its transaction"
    : reasonOf(error);
  return new FileError(`${path}: ${reason}`, { cause: error });
}

/**
 * Opens a database that several processes may share. A commit survives the end of the process. A
 * power loss may undo the latest commits, but does not corrupt the file.
 *
 * @param setUp Creates the tables and prepares statements, in a transaction. It may run again if
 * another process does the same.
 * @throws {TxfeedError} `file` if the file can't be opened, is not a database, or has no name.
 */
export function openDatabase<T>(
  path: string,
  setUp: (database: DatabaseSync) => T,
): readonly [DatabaseSync, T] {
  // SQLite would open a private database that is deleted with the process.
  if (path === "") throw new FileError("the path of a database is empty; give a file");
  const until = performance.now() + WAIT_MS;
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(path);
    database = opened;
    for (;;) {
      try {
        opened.exec("PRAGMA journal_mode = WAL");
        return [opened, inTransaction(opened, () => setUp(opened))];
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    }
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw fileErrorOf(path, error);
    const reason = `can't be used as a database: ${reasonOf(error)}`;
    throw new FileError(`${path}: ${reason}`, { cause: error });
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
