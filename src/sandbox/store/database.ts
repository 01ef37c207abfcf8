import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { FileError, reasonOf } from "../../errors.ts";
import { DatabaseSync } from "../../sqlite.ts";
import { StorageRefusal } from "../../world/refusal.ts";
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts";

/** How long to wait until another program unlocks the file. */
const BUSY_TIMEOUT_MS = 2_000;

/** "txfs": the application id of our databases. */
const APPLICATION_ID = 0x74786673;

/**
 * Opens the sandbox's database, and creates its tables. Committed changes survive a crash.
 *
 * @param file the path; undefined for a database in memory
 * @throws {TxfeedError} `file` if it can't be opened, is locked, or is not a sandbox's database;
 * the file is then unchanged
 */
export function openDatabase(file?: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (file !== undefined) checkFile(file);
    // SQLite may read a relative path as a URI or a special name.
    const path = file === undefined ? ":memory:" : resolve(file);
    if (file !== undefined) createPrivate(path);
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    const name = file ?? "the database in memory";
    const message = `${name} can't be opened as the sandbox's data: ${explain(error)}`;
    throw new FileError(message, { cause: error });
  }
}

/**
 * Creates a file that only its owner can read, because it has secrets. SQLite gives the files
 * beside it the same mode. An existing file keeps its mode.
 */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, "a", 0o600));
  } catch {
    // SQLite reports the error.
  }
}

function prepare(database: DatabaseSync): void {
  // One sandbox per file: two would have different caches.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;");
  database.exec("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE;");
  const { application_id: id } = database.prepare("PRAGMA application_id").get() ?? {};
  // Before the switch to WAL, so that the header of the file is correct from then on.
  if (id !== APPLICATION_ID) {
    database.exec(`PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${SCHEMA_VERSION}; ${SCHEMA}`);
  }
  database.exec("COMMIT; PRAGMA journal_mode = WAL;");
}

/**
 * Reads the header of an existing file without SQLite, which may change the files that it opens.
 */
function checkFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Error("it is a folder; name a file in it");
  if (found && !found.isFile()) throw new Error("it is not a regular file; choose another file");
  if (!found || found.size === 0) return;
  // https://www.sqlite.org/fileformat2.html#the_database_header
  const head = Buffer.alloc(100);
  const descriptor = openSync(file, "r");
  readSync(descriptor, head);
  closeSync(descriptor);
  if (head.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new Error("it is not an SQLite database; choose another file");
  }
  if (head.readUInt32BE(68) !== APPLICATION_ID) {
    throw new Error("it is another program's database; choose another file");
  }
  const version = head.readUInt32BE(60);
  if (version !== SCHEMA_VERSION) {
    const versions = `its tables have version ${version}, not ${SCHEMA_VERSION}`;
    throw new Error(`another version of txfeed created it (${versions}); choose another file`);
  }
}

/** Clearer messages for some codes of SQLite. */
const REASONS: Record<number, string> = {
  5: "another program uses it; stop that program",
  8: "it is not writable; choose another file",
  10: "it or its disk is not writable; choose another file, or free space",
  13: "its disk is full; free space, then try again",
  14: "its folder is missing or not writable; choose another file",
};

function explain(error: unknown): string {
  return REASONS[sqliteCodeOf(error) ?? 0] ?? reasonOf(error);
}

/** The codes for errors of the file or the disk: READONLY, IOERR, FULL, CANTOPEN. */
const STORAGE_CODES: readonly (number | undefined)[] = [8, 10, 13, 14];

/**
 * The primary result code of an SQLite error; undefined for another error.
 *
 * @see https://www.sqlite.org/rescode.html
 */
function sqliteCodeOf(error: unknown): number | undefined {
  const { errcode } = Object(error) as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** The StorageRefusal for an error of the disk; undefined for any other error. */
export function storageRefusal(database: DatabaseSync, error: unknown): StorageRefusal | undefined {
  if (!STORAGE_CODES.includes(sqliteCodeOf(error))) return undefined;
  const file = database.location() ?? "memory";
  const what = `the change can't be saved in ${file}: ${reasonOf(error)}`;
  return new StorageRefusal(`${what}; nothing has changed: free space, then try again`);
}
