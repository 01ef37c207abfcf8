import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./database.ts";
import { fileGuard } from "./file-guard.ts";

/** How a write is committed. */
interface WriteOptions {
  /** Whether the commit is flushed to the disk, so that the write survives a power loss. */
  readonly toDisk?: boolean;
  /** Whether the promise rejects if the file was deleted, replaced or truncated. */
  readonly checksFile?: boolean;
  /** Whether the write can fail without failing the others of its commit. */
  readonly mayFail?: boolean;
}

/** Commits writes together. */
interface GroupCommit {
  /**
   * Runs a write in the next commit. Resolves to its result when the write survives the end of the
   * process; a power loss may undo it.
   */
  write<T>(write: () => T, options?: WriteOptions): Promise<T>;
  /** Commits pending writes at once. */
  flush(): void;
}

interface PendingWrite extends WriteOptions {
  readonly write: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** The result of a write that ran. */
type Result = { readonly value: unknown } | { readonly error: unknown };

/**
 * Commits all writes of one turn of the event loop in one transaction. A flush to the disk blocks
 * the event loop, so a thousand concurrent deliveries should need only one. If a write throws, and
 * it is not one that may fail, the whole transaction is rolled back and every write of the turn
 * rejects.
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
      const results = inTransaction(database, () => group.map(run));
      if (group.some(({ checksFile }) => checksFile)) checkFile();
      for (const [at, { resolve, reject }] of group.entries()) {
        const result = results[at];
        if (result && "error" in result) reject(result.error);
        else resolve(result?.value as never);
      }
    } catch (error) {
      const cause = fileErrorOr(error);
      for (const { reject } of group) reject(cause);
    }
  }

  function run({ write, mayFail = false }: PendingWrite): Result {
    if (!mayFail) return { value: write() };
    database.exec("SAVEPOINT webhook_write");
    try {
      const value = write();
      database.exec("RELEASE webhook_write");
      return { value };
    } catch (error) {
      // This fails if SQLite or the statements of a handler ended the transaction.
      try {
        database.exec("ROLLBACK TO webhook_write; RELEASE webhook_write");
      } catch {
        throw error;
      }
      return { error };
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

  const write = <T>(run: () => T, options: WriteOptions = {}) =>
    new Promise<T>((resolve, reject) => {
      if (pending.length === 0) setImmediate(flush);
      pending.push({ write: run, ...options, resolve, reject });
    });

  return { write, flush };
}
