import { DatabaseSync } from "node:sqlite";
import { reasonOf, TxfeedError } from "../../errors.ts";

/** How long one process waits for another's commit. */
const BUSY_TIMEOUT_MS = 10_000;

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
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    database.exec(schema);
    return database;
  } catch (error) {
    throw new TxfeedError("file", `${path}: can't be used as a database: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
