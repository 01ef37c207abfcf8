import { type BigIntStats, closeSync, openSync, readSync, statSync } from "node:fs";
import { FileError, type TxfeedError } from "../../errors.ts";
import { DatabaseSync } from "../../sqlite.ts";

/**
 * Creates a check that the file of a database is intact. SQLite keeps writing to a file that was
 * deleted or truncated, and reports success. The check costs two calls of `stat` and reading a few
 * bytes.
 *
 * @returns the check, to be called after a commit. It throws a TxfeedError `file` if the file or
 * its write-ahead log was deleted, replaced or truncated, until the original is back.
 */
export function fileGuard(database: DatabaseSync): () => void {
  const [main] = database.prepare("PRAGMA database_list").all() as { file: string }[];
  const path = main?.file;
  // A database in memory has no file.
  if (!path) return () => {};
  const log = `${path}-wal`;
  const [place, logPlace] = [placeOf(statOf(path)), placeOf(statOf(log))];
  let bytes = statOf(path)?.size ?? 0n;
  let logBytes = statOf(log)?.size ?? 0n;

  return () => {
    const found = statOf(path);
    if (!found || placeOf(found) !== place) throw lostFile(path, "deleted or replaced");
    const foundLog = statOf(log);
    if (placeOf(foundLog) !== logPlace) throw lostFile(log, "deleted or replaced");
    const foundLogBytes = foundLog?.size ?? 0n;
    // After truncation SQLite continues at the old end, so the log has no header.
    if (foundLogBytes > 0n && !hasHeader(log)) throw lostFile(log, "truncated");
    // VACUUM also shrinks the file, and a checkpoint its log.
    const isSmaller = found.size < bytes || foundLogBytes < logBytes;
    if (isSmaller && !isSound(path, found.size)) {
      throw lostFile(found.size < bytes ? path : log, "truncated");
    }
    [bytes, logBytes] = [found.size, foundLogBytes];
  };
}

/** @see https://www.sqlite.org/fileformat2.html#walformat */
function hasHeader(log: string): boolean {
  const file = openSync(log, "r");
  try {
    const magic = Buffer.alloc(4);
    readSync(file, magic, 0, 4, 0);
    return magic.readUInt32BE() >>> 1 === 0x377f0682 >>> 1;
  } finally {
    closeSync(file);
  }
}

const statOf = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false });

/** Identifies a file by its device and inode, not by its name. */
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

function lostFile(file: string, how: string): TxfeedError {
  const advice = "put the original file back, or restart the service to begin a new one";
  return new FileError(`${file}: was ${how} while it was in use; ${advice}`);
}
