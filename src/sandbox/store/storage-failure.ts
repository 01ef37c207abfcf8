import type { DatabaseSync } from "node:sqlite";
import { reasonOf } from "../../errors.ts";
import { StorageRefusal } from "../refusal.ts";

/** What a file or its disk does not let be done: READONLY, IOERR, FULL, CANTOPEN. */
const STORAGE_CODES: readonly (number | undefined)[] = [8, 10, 13, 14];

/**
 * SQLite's code of an error, without what tells the kinds of it apart; undefined for another error.
 *
 * @see https://www.sqlite.org/rescode.html
 */
export function sqliteCodeOf(error: unknown): number | undefined {
  const { errcode } = Object(error) as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** What an error of the disk is told as; undefined for any other. */
export function storageRefusal(database: DatabaseSync, error: unknown): StorageRefusal | undefined {
  if (!STORAGE_CODES.includes(sqliteCodeOf(error))) return undefined;
  const what = `this can't be kept in ${database.location() ?? "memory"}: ${reasonOf(error)}`;
  return new StorageRefusal(`${what}; nothing has changed: make room there, then try again`);
}
