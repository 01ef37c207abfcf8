import type { DatabaseSync } from "node:sqlite";

/** Commits writes together. */
export interface GroupCommit {
  /**
   * Runs a write in the next commit. Resolves to what it returns once the write survives the end
   * of the process; a power loss may take it back.
   */
  write<T>(write: () => T): Promise<T>;
  /** As `write`, but waits for the disk, so that a power loss takes nothing back. */
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
  let waiting: Waiting[] = [];

  function flush(): void {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      const synchronous = group.some(({ toDisk }) => toDisk) ? "FULL" : "NORMAL";
      database.exec(`PRAGMA synchronous = ${synchronous}`);
      const values = inTransaction(database, () => group.map(({ write }) => write()));
      for (const [at, { resolve }] of group.entries()) resolve(values[at] as never);
    } catch (error) {
      for (const { reject } of group) reject(error);
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

function inTransaction<T>(database: DatabaseSync, run: () => T): T {
  // Not deferred: who first reads and then writes is refused at once when another wrote meanwhile.
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = run();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    // SQLite takes some failures back by itself; what went wrong is the first error.
    try {
      database.exec("ROLLBACK");
    } catch {}
    throw error;
  }
}
