import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { FileError, reasonOf } from "../../errors.ts";
import { DatabaseSync } from "../../sqlite.ts";
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { sqliteCodeOf } from "./storage-failure.ts";

/** What another program may take to let go of the file. */
const BUSY_TIMEOUT_MS = 2_000;

/** "txfs": tells our databases from others'. */
const APPLICATION_ID = 0x74786673;

/**
 * Opens the sandbox's database, with its tables. What is committed survives the end of the process,
 * however it ends.
 *
 * @param file where it is kept; in memory where it is undefined
 * @throws {@link TxfeedError} `file` where it can't be opened, is locked, or is no such database;
 * then the file is as it was
 */
export function openDatabase(file?: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (file !== undefined) checkFile(file);
    // Absolute, so that SQLite takes it neither for an address nor for one of its special names.
    const where = file === undefined ? ":memory:" : resolve(file);
    if (file !== undefined) createPrivate(where);
    database = new DatabaseSync(where, { timeout: BUSY_TIMEOUT_MS });
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    const message = `the sandbox's data can't be opened at ${file ?? "memory"}: ${whyOf(error)}`;
    throw new FileError(message, { cause: error });
  }
}

/**
 * Creates the file for its owner alone, since it has secrets. SQLite gives the files beside it the
 * same mode. The mode of a file that exists is left alone.
 */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, "a", 0o600));
  } catch {
    // SQLite says what is wrong.
  }
}

function prepare(database: DatabaseSync): void {
  // One sandbox a file: two would each go by what they remember.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;");
  database.exec("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE;");
  const { application_id: id } = database.prepare("PRAGMA application_id").get() ?? {};
  // Before the log is written ahead: what the file's head says is true from then on.
  if (id !== APPLICATION_ID) {
    database.exec(`PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${SCHEMA_VERSION}; ${SCHEMA}`);
  }
  database.exec("COMMIT; PRAGMA journal_mode = WAL;");
}

/** Reads the head of a file that is there, by itself: SQLite may change what it opens. */
function checkFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Error("that is a directory; name a file in it");
  if (found && !found.isFile()) throw new Error("that is no file; choose another");
  if (!found || found.size === 0) return;
  // https://www.sqlite.org/fileformat2.html#the_database_header
  const head = Buffer.alloc(100);
  const descriptor = openSync(file, "r");
  readSync(descriptor, head);
  closeSync(descriptor);
  if (head.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new Error("that is no database; choose another file");
  }
  if (head.readUInt32BE(68) !== APPLICATION_ID) {
    throw new Error("that is another program's database; choose another file");
  }
  const version = head.readUInt32BE(60);
  if (version !== SCHEMA_VERSION) {
    const versions = `it has version ${version} and not ${SCHEMA_VERSION} of the tables`;
    throw new Error(`another version of txfeed made it (${versions}); choose another file`);
  }
}

/** What SQLite says too shortly, by its code. */
const REASONS: Record<number, string> = {
  5: "another program holds it; stop that one",
  8: "it may not be written; choose another file",
  10: "its disk can't be written; make room, then try again",
  13: "its disk is full; make room, then try again",
  14: "its directory is missing, or may not be written; choose another",
};

function whyOf(error: unknown): string {
  return REASONS[sqliteCodeOf(error) ?? 0] ?? reasonOf(error);
}
