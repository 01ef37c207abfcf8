import type { DatabaseSync } from "node:sqlite";
import { reasonOf } from "../../errors.ts";
import { StorageRefusal } from "../refusal.ts";

/** The codes for errors of the file or the disk: READONLY, IOERR, FULL, CANTOPEN. */
const STORAGE_CODES: readonly (number | undefined)[] = [8, 10, 13, 14];

/**
 * The primary result code of an SQLite error; undefined for another error.
 *
 * @see https://www.sqlite.org/rescode.html
 */
export function sqliteCodeOf(error: unknown): number | undefined {
  const { errcode } = Object(error) as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** The StorageRefusal for an error of the disk; undefined for any other error. */
export function storageRefusal(database: DatabaseSync, error: unknown): StorageRefusal | undefined {
  if (!STORAGE_CODES.includes(sqliteCodeOf(error))) return undefined;
  const what = `this can't be kept in ${database.location() ?? "memory"}: ${reasonOf(error)}`;
  return new StorageRefusal(`${what}; nothing has changed: make room there, then try again`);
}
