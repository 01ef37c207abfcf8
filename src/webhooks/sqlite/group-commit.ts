import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../../errors.ts";
import type { DatabaseSync } from "../../sqlite.ts";
import { WAIT_MS } from "../store.ts";
import { fileErrorOf, inTransaction, isBusy, RETRY_MS } from "./database.ts";
import { fileGuard } from "./file-guard.ts";

/**
 * How a write is committed. `checked`: it rejects if the file was deleted, replaced or truncated.
 * `flushed`: it is also flushed to the disk, so that it survives a power loss.
 */
export type Durability = "checked" | "flushed";

interface PendingWrite {
  readonly write: () => unknown;
  readonly durability: Durability | undefined;
  /** When it rejects if the file is still locked. */
  readonly until: number;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Commits all writes of one turn of the event loop in one transaction. A flush to the disk blocks
 * the event loop, so a thousand concurrent calls should need only one. While another process has
 * the file locked, they wait without blocking this one.
 */
export function groupCommit(database: DatabaseSync, path: string) {
  const checkFile = fileGuard(database);
  let pending: PendingWrite[] = [];

  function flush(): void {
    const group = pending;
    pending = [];
    if (group.length === 0) return;
    try {
      const isFlushed = group.some(({ durability }) => durability === "flushed");
      database.exec(`PRAGMA synchronous = ${isFlushed ? "FULL" : "NORMAL"}`);
      const ends = inTransaction(database, () => group.map(run));
      if (group.some(({ durability }) => durability !== undefined)) checkFile();
      for (const end of ends) end();
    } catch (error) {
      const cause = causeOf(error);
      const now = performance.now();
      for (const write of group) {
        if (isBusy(cause) && now < write.until) pending.push(write);
        else write.reject(fileErrorOf(path, cause));
      }
      if (pending.length > 0) setTimeout(flush, RETRY_MS);
    }
  }

  /** The error of the file check, if it fails: it is more precise than SQLite's error. */
  function causeOf(error: unknown): unknown {
    // Closing a database deletes its log.
    if (!database.isOpen) return new UsageError("the inbox is closed");
    try {
      checkFile();
      return error;
    } catch (fileError) {
      return fileError;
    }
  }

  /** Runs a write in a savepoint, so that its failure does not fail others. */
  function run({ write, resolve, reject }: PendingWrite): () => void {
    database.exec("SAVEPOINT webhook_write");
    try {
      const value = write();
      database.exec("RELEASE webhook_write");
      return () => resolve(value as never);
    } catch (error) {
      // This fails if SQLite or the statements of a handler ended the transaction.
      try {
        database.exec("ROLLBACK TO webhook_write; RELEASE webhook_write");
      } catch {
        throw error;
      }
      return () => reject(fileErrorOf(path, error));
    }
  }

  return {
    /**
     * Runs a write in the next commit. Resolves to its result when the write survives the end of
     * the process; a power loss may undo it.
     */
    write: <T>(write: () => T, durability?: Durability) =>
      new Promise<T>((resolve, reject) => {
        if (pending.length === 0) setImmediate(flush);
        const until = performance.now() + WAIT_MS;
        pending.push({ write, durability, until, resolve, reject });
      }),

    /** Runs a read at once. */
    async read<T>(read: () => T): Promise<T> {
      const until = performance.now() + WAIT_MS;
      for (;;) {
        try {
          return read();
        } catch (error) {
          const isLate = performance.now() >= until;
          if (!isBusy(error) || isLate) throw fileErrorOf(path, causeOf(error));
        }
        await sleep(RETRY_MS);
      }
    },

    /** Commits pending writes and closes the database. */
    close(): void | Promise<void> {
      flush();
      if (pending.length > 0) return sleep(RETRY_MS).then(() => this.close());
      if (database.isOpen) database.close();
    },
  };
}
