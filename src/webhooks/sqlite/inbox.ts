import { TxfeedError, UsageError } from "../../errors.ts";
import { assertInteger, assertKnownOptions } from "../../options.ts";
import type { DatabaseSync } from "../../sqlite.ts";
import { DEFAULT_KEEP_MS, type Inbox, MAX_KEEP_MS } from "../inbox.ts";
import { SqlInbox } from "../sql-inbox.ts";
import type { Procedure, Row, Store } from "../store.ts";
import { openDatabase, uptimeMs } from "./database.ts";
import { type Durability, groupCommit } from "./group-commit.ts";
import { type Clocks, createProcedures } from "./procedures.ts";
import { createTables } from "./schema.ts";

/**
 * Collects statements of a handler. They run synchronously, in the order of the calls, in the
 * commit that records that the delivery was handled. If one throws, nothing of the handler's
 * statements is committed, and the attempt failed. They run again if the commit is refused because
 * another process has the file locked.
 *
 * @throws {TxfeedError} `usage` if the handler has ended.
 */
export type SqliteTransaction = (work: Statements) => void;

type Statements = (database: DatabaseSync) => void;

/** The options of an inbox in memory. */
export interface MemoryInboxOptions {
  /** How long a handled delivery is remembered, in milliseconds. Default: seven days. */
  readonly keepMs?: number;
  /**
   * A clock in milliseconds that replaces both default ones: the time since the machine started for
   * delays and leases, and the wall clock for handled deliveries. All processes that use the file
   * must share it.
   */
  readonly now?: () => number;
}

/** The options of an inbox on SQLite. */
export interface SqliteInboxOptions extends MemoryInboxOptions {
  /** The file; created if it does not exist. It may have other tables. */
  readonly path: string;
}

/**
 * Opens an inbox in a file, for any number of processes of one machine. An added delivery is
 * flushed to the disk: it survives the end of the process, and a power loss if the disk honours
 * flushes. So do the statements of a delivery that is acknowledged after it is handled. Other
 * changes are not flushed at once: after a power loss, a delivery that was just handled may be
 * handled again.
 *
 * Delays and leases do not depend on the wall clock. A restart of the machine restarts each delay.
 *
 * While another process has the file locked, calls wait without blocking this process, and reject
 * after four seconds. If the file is deleted, replaced or truncated while it is in use, `add`,
 * `once` and `check` reject until the original file is back or the service restarts.
 *
 * @throws {TxfeedError} `file` if the file can't be opened, is not a database, or was written by a
 * newer version; `usage` if a time is not a positive integer, or an option is unknown.
 * @example sqliteInbox({ path: "feed.db" })
 */
export function sqliteInbox(options: SqliteInboxOptions): Inbox<SqliteTransaction> {
  assertKnownOptions("sqliteInbox", options, ["path", "keepMs", "now"]);
  return open("sqliteInbox", options);
}

/**
 * An inbox on SQLite in memory, for one process. Stored deliveries end with the process.
 *
 * @throws {TxfeedError} `usage` if a time is not a positive integer, or an option is unknown.
 * @example memoryInbox()
 */
export function memoryInbox(options: MemoryInboxOptions = {}): Inbox<SqliteTransaction> {
  assertKnownOptions("memoryInbox", options, ["keepMs", "now"]);
  return open("memoryInbox", { ...options, path: ":memory:" });
}

function open(name: string, { path, keepMs = DEFAULT_KEEP_MS, now }: SqliteInboxOptions) {
  assertInteger(`${name}: keepMs`, keepMs, 1, MAX_KEEP_MS);
  const clocks = { uptime: now ?? uptimeMs, wallClock: now ?? Date.now, keepMs };
  return new SqlInbox(openStore(path, clocks), keepMs);
}

const DURABILITY: Partial<Record<Procedure, Durability>> = {
  receive: "flushed",
  probe: "flushed",
  claim: "checked",
};

function openStore(path: string, clocks: Clocks): Store<SqliteTransaction> {
  const [database, procedures] = openDatabase(path, (opened) => {
    createTables(opened);
    return createProcedures(opened, clocks);
  });
  const { write, read, close } = groupCommit(database, path);
  return {
    prefix: "webhook_",
    now: () => String(clocks.uptime()),
    quote: (text) => `'${text.replaceAll("'", "''")}'`,

    call(name, ...parameters) {
      const run = procedures[name] as (...parameters: readonly unknown[]) => readonly Row[];
      // Due at the time of the call: a worker whose event loop was blocked since then does not take
      // its own lanes, whose leases it can't have renewed.
      const all = name === "take" ? [...parameters, clocks.uptime()] : parameters;
      return write(() => run(...all), DURABILITY[name]);
    },

    select: (statement) => read(() => database.prepare(statement).all()),

    async transaction(_leaseMs, work, isAcknowledged = false) {
      const statements: Statements[] = [];
      const settle = await work(async (run) => {
        const own: Statements[] = [];
        let isOver = false;
        const collect: SqliteTransaction = (each) => {
          if (isOver) {
            throw new UsageError("tx was called after its handler ended; await what calls it");
          }
          own.push(each);
        };
        try {
          const result = await run(collect);
          statements.push(...own);
          return result;
        } finally {
          isOver = true;
        }
      });
      await write(
        () => {
          // A handler that lost its lease runs no statements.
          procedures.assertLeased(settle[0]);
          runStatements(database, statements);
          procedures.settle(...settle);
        },
        isAcknowledged && statements.length > 0 ? "flushed" : undefined,
      );
    },

    repairOf: (error) => (error instanceof TxfeedError ? "none" : "split"),
    close,
  };
}

function runStatements(database: DatabaseSync, statements: readonly Statements[]): void {
  if (statements.length === 0) return;
  database.exec("SAVEPOINT webhook_handler");
  for (const run of statements) {
    const result: unknown = run(database);
    if (typeof (result as { then?: unknown } | undefined)?.then !== "function") continue;
    throw new UsageError("the function passed to tx must be synchronous; got a promise");
  }
  try {
    database.exec("RELEASE webhook_handler");
  } catch (error) {
    const reason = "a handler's statements ended the transaction of the inbox";
    throw new UsageError(`${reason}; don't use BEGIN, COMMIT, END or ROLLBACK`, { cause: error });
  }
}
