import { type BigIntStats, statSync } from "node:fs";
import { TxfeedError } from "../../errors.ts";
import { DatabaseSync } from "../../sqlite.ts";

/**
 * Returns a check that the file of a database still is what it was: SQLite goes on writing to a
 * file that was deleted or truncated, and reports success. The check costs two calls of `stat`.
 *
 * @returns the check. It throws a TxfeedError `file` if the file, or its write-ahead log, was
 * deleted, replaced or truncated, and passes again if the original is back.
 */
export function fileGuard(database: DatabaseSync): () => void {
  const [main] = database.prepare("PRAGMA database_list").all() as { file: string }[];
  const path = main?.file;
  // A database in memory has no file.
  if (!path) return () => {};
  const log = `${path}-wal`;
  const [place, logPlace] = [placeOf(statOf(path)), placeOf(statOf(log))];
  let bytes = statOf(path)?.size ?? 0n;

  return () => {
    const found = statOf(path);
    if (!found || placeOf(found) !== place) throw lost(path, "deleted or replaced");
    if (placeOf(statOf(log)) !== logPlace) throw lost(log, "deleted or replaced");
    // VACUUM makes a file smaller too.
    if (found.size < bytes && !isSound(path, found.size)) throw lost(path, "truncated");
    bytes = found.size;
  };
}

const statOf = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false });

/** Identifies a file, whatever its name. */
const placeOf = (found: BigIntStats | undefined) => found && `${found.dev}:${found.ino}`;

function isSound(path: string, bytes: bigint): boolean {
  if (bytes === 0n) return false;
  try {
    const other = new DatabaseSync(path, { readOnly: true });
    try {
      const row = other.prepare("PRAGMA quick_check(1)").get();
      return row?.["quick_check"] === "ok";
    } finally {
      other.close();
    }
  } catch {
    return false;
  }
}

function lost(file: string, how: string): TxfeedError {
  const advice = "put the original file back, or restart the service to begin a new one";
  return new TxfeedError("file", `${file}: was ${how} while it was in use; ${advice}`);
}
