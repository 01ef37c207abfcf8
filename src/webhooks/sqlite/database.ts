import { DatabaseSync } from "node:sqlite";
import { reasonOf, TxfeedError } from "../../errors.ts";

/**
 * How sure a commit is, beside the end of the process, which it always survives:
 * - `FULL`: it is on the disk, so that it survives a power loss as far as the disk keeps its word;
 * - `NORMAL`: a power loss may take the latest commits back, but leaves the file sound.
 */
export type Synchronous = "FULL" | "NORMAL";

/** How long one process waits for another's commit. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens a database that several processes may share, and sees to its tables.
 *
 * @throws TxfeedError `file` where the file can't be opened or is no database.
 */
export function openDatabase(path: string, synchronous: Synchronous, schema: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    database.exec(schema);
    return database;
  } catch (error) {
    throw new TxfeedError("file", `${path}: can't be used as a database: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
