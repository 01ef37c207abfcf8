import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./database.ts";
import { fileGuard } from "./file-guard.ts";

/** Commits writes together. */
export interface GroupCommit {
  /**
   * Runs a write in the next commit. Resolves to what it returns once the write survives the end
   * of the process; a power loss may take it back.
   */
  write<T>(write: () => T): Promise<T>;
  /**
   * As `write`, but waits for the disk, so that a power loss takes nothing back. Rejects if the
   * file that was written is no longer where the next process looks for it.
   */
  writeToDisk<T>(write: () => T): Promise<T>;
  /** Commits what waits, at once. */
  flush(): void;
}

interface Waiting {
  readonly write: () => unknown;
  readonly toDisk: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Makes all writes of one turn of the event loop one transaction: a commit that waits for the disk
 * holds the event loop meanwhile, so a thousand deliveries at a time are to cost one wait.
 * A write that throws takes the others of its turn back with it.
 */
export function groupCommit(database: DatabaseSync): GroupCommit {
  const checkFile = fileGuard(database);
  let waiting: Waiting[] = [];

  function flush(): void {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      const isToDisk = group.some(({ toDisk }) => toDisk);
      database.exec(`PRAGMA synchronous = ${isToDisk ? "FULL" : "NORMAL"}`);
      const values = inTransaction(database, () => group.map(({ write }) => write()));
      if (isToDisk) checkFile();
      for (const [at, { resolve }] of group.entries()) resolve(values[at] as never);
    } catch (error) {
      const cause = lossOr(error);
      for (const { reject } of group) reject(cause);
    }
  }

  /** What happened to the file, which says more than what SQLite makes of it. */
  function lossOr(error: unknown): unknown {
    try {
      // Closing a database deletes its log.
      if (database.isOpen) checkFile();
      return error;
    } catch (loss) {
      return loss;
    }
  }

  const enqueue = <T>(write: () => T, toDisk: boolean) =>
    new Promise<T>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ write, toDisk, resolve, reject });
    });

  return {
    write: (write) => enqueue(write, false),
    writeToDisk: (write) => enqueue(write, true),
    flush,
  };
}
