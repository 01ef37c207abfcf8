import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./database.ts";
import { fileGuard } from "./file-guard.ts";

/** Commits writes together. */
interface GroupCommit {
  /**
   * Runs a write in the next commit. Resolves to its result when the write survives the end of the
   * process; a power loss may undo it.
   */
  write<T>(write: () => T): Promise<T>;
  /**
   * Like `write`, but flushes to the disk, so that the write survives a power loss. Rejects if the
   * file was deleted, replaced or truncated.
   */
  writeToDisk<T>(write: () => T): Promise<T>;
  /** Commits pending writes at once. */
  flush(): void;
}

interface PendingWrite {
  readonly write: () => unknown;
  readonly toDisk: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Commits all writes of one turn of the event loop in one transaction. A flush to the disk blocks
 * the event loop, so a thousand concurrent deliveries should need only one. If a write throws, the
 * whole transaction is rolled back and every write of the turn rejects.
 */
export function groupCommit(database: DatabaseSync): GroupCommit {
  const checkFile = fileGuard(database);
  let pending: PendingWrite[] = [];

  function flush(): void {
    const group = pending;
    pending = [];
    if (group.length === 0) return;
    try {
      const isToDisk = group.some(({ toDisk }) => toDisk);
      database.exec(`PRAGMA synchronous = ${isToDisk ? "FULL" : "NORMAL"}`);
      const values = inTransaction(database, () => group.map(({ write }) => write()));
      if (isToDisk) checkFile();
      for (const [at, { resolve }] of group.entries()) resolve(values[at] as never);
    } catch (error) {
      const cause = fileErrorOr(error);
      for (const { reject } of group) reject(cause);
    }
  }

  /** The error of the file check, if it fails: it is more precise than SQLite's error. */
  function fileErrorOr(error: unknown): unknown {
    try {
      // Closing a database deletes its log.
      if (database.isOpen) checkFile();
      return error;
    } catch (fileError) {
      return fileError;
    }
  }

  const enqueue = <T>(write: () => T, toDisk: boolean) =>
    new Promise<T>((resolve, reject) => {
      if (pending.length === 0) setImmediate(flush);
      pending.push({ write, toDisk, resolve, reject });
    });

  return {
    write: (write) => enqueue(write, false),
    writeToDisk: (write) => enqueue(write, true),
    flush,
  };
}
