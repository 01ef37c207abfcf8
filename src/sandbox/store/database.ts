import { DatabaseSync } from "node:sqlite";
import { reasonOf, TxfeedError } from "../../errors.ts";
import { SCHEMA } from "./schema.ts";

/** What another program may take to let go of the file. */
const BUSY_TIMEOUT_MS = 2_000;

/**
 * Opens the sandbox's database, with its tables. What is committed survives the end of the process,
 * however it ends.
 *
 * @param file where it is kept; in memory where it is undefined
 * @throws {@link TxfeedError} `file` where it can't be opened, is locked, or is no such database
 */
export function openDatabase(file?: string): DatabaseSync {
  const where = file ?? ":memory:";
  try {
    const database = new DatabaseSync(where, { timeout: BUSY_TIMEOUT_MS });
    // One sandbox a file: two would each go by what they remember.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;");
    database.exec("PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;");
    database.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
    return database;
  } catch (error) {
    const isLocked = /locked|busy/.test(reasonOf(error));
    const why = isLocked ? "another program holds it; stop that one" : reasonOf(error);
    const message = `the sandbox's data can't be opened at ${where}: ${why}`;
    throw new TxfeedError("file", message, { cause: error });
  }
}
