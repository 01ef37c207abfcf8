import { assertKnownOptions } from "../../options.ts";
import type { DeliveryQueue, Lease, Quarantine } from "../queue.ts";
import { createTable, openDatabase, uptimeMs } from "./database.ts";
import { groupCommit } from "./group-commit.ts";

// A delivery whose due_at is null is in quarantine. Ids are never reused. `attempts` is never
// reset: it identifies the latest lease.
const TABLE = {
  name: "webhook_queue",
  schema: `
    CREATE TABLE IF NOT EXISTS webhook_queue (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT UNIQUE,
      event TEXT NOT NULL,
      body TEXT NOT NULL,
      received_at TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER DEFAULT 0,
      reason TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS webhook_queue_due ON webhook_queue (due_at);
  `,
  added: {
    // The delay began at due_at - delay_ms. If that is in the future, `restartDelays` resets it.
    delay_ms: "INTEGER NOT NULL DEFAULT 0",
    failures: "INTEGER NOT NULL DEFAULT 0",
    interruptions: "INTEGER NOT NULL DEFAULT 0",
    token: "TEXT",
  },
};
const DELIVERY = "id, key, event, body, received_at AS receivedAt";
const DUE_AGAIN = "due_at = 0, failures = 0, interruptions = 0, reason = NULL";
// The lease is current unless another process took the delivery since.
const IS_CURRENT = "id = :id AND attempts = :attempt AND due_at IS NOT NULL";

/** How often `restartDelays` checks the due times. */
const CHECK_EVERY_MS = 60_000;

/** A queue on SQLite. */
export interface SqliteQueue extends DeliveryQueue {
  /** Closes the file, which keeps the unfinished deliveries. */
  close(): void;
}

/** The options of a queue on SQLite. */
export interface SqliteQueueOptions {
  /** The file; created if it does not exist. */
  readonly path: string;
  /**
   * The clock for due times and leases, in milliseconds; default: the time since the machine
   * started. All processes that use the file must share it.
   */
  readonly now?: () => number;
}

const OPTIONS = Object.keys({ path: 0, now: 0 } satisfies Record<keyof SqliteQueueOptions, 0>);

/**
 * Opens a queue in a file, for any number of processes of one machine. An added delivery is flushed
 * to the disk: it survives the end of the process, and a power loss if the disk honours flushes.
 * Other changes are not flushed at once: after a power loss, a delivery that was just finished may
 * be handled again.
 *
 * Due times do not depend on the wall clock. A restart of the machine restarts each delay.
 *
 * If the file is deleted, replaced or truncated while it is in use, `add` rejects until the
 * original file is back or the service restarts.
 *
 * @throws {TxfeedError} `file` if the file can't be opened or is not a database; `usage` if an
 * option is unknown.
 * @example sqliteQueue({ path: "feed.db" })
 */
export function sqliteQueue(options: SqliteQueueOptions): SqliteQueue {
  assertKnownOptions("sqliteQueue", options, OPTIONS);
  const { path, now: clock = uptimeMs } = options;
  const database = openDatabase(path, (database) => createTable(database, TABLE));
  const { write, writeToDisk, flush } = groupCommit(database);
  const statement = {
    add: database.prepare(
      `INSERT INTO webhook_queue (key, event, body, received_at, token) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET ${DUE_AGAIN} WHERE due_at IS NULL
       RETURNING attempts`,
    ),
    restart: database.prepare(
      "UPDATE webhook_queue SET due_at = :now + delay_ms WHERE due_at - delay_ms > :now",
    ),
    take: database.prepare(
      `UPDATE webhook_queue SET due_at = :now + :leaseMs, delay_ms = :leaseMs,
         attempts = attempts + 1, interruptions = interruptions + 1
       WHERE id IN
         (SELECT id FROM webhook_queue WHERE due_at <= :now ORDER BY due_at, id LIMIT :limit)
       RETURNING ${DELIVERY}, attempts AS attempt, failures, interruptions - 1 AS interruptions,
         coalesce(token, key, CAST(id AS TEXT)) AS token`,
    ),
    finish: database.prepare("DELETE FROM webhook_queue WHERE id = ?"),
    renew: delaying(""),
    retry: delaying(", failures = failures + 1, interruptions = 0"),
    release: delaying(", interruptions = interruptions - 1"),
    isolate: database.prepare(
      `UPDATE webhook_queue SET due_at = NULL, reason = :reason WHERE ${IS_CURRENT}`,
    ),
    list: database.prepare(
      `SELECT ${DELIVERY}, attempts, reason FROM webhook_queue WHERE due_at IS NULL ORDER BY id`,
    ),
    replay: database.prepare(
      `UPDATE webhook_queue SET ${DUE_AGAIN} WHERE id = ? AND due_at IS NULL`,
    ),
    discard: database.prepare("DELETE FROM webhook_queue WHERE id = ? AND due_at IS NULL"),
  };
  let checkedAt = Number.NEGATIVE_INFINITY;
  let latest = checkedAt;

  /** Prepares a statement that makes a delivery due after a delay and changes its counts. */
  function delaying(counts: string) {
    return database.prepare(
      `UPDATE webhook_queue SET due_at = :now + :delayMs, delay_ms = :delayMs${counts}
       WHERE ${IS_CURRENT}`,
    );
  }

  /**
   * Restarts delays that began in the future. Such rows exist after a restart of the machine, which
   * resets the clock, or come from a version of this package that used the wall clock.
   */
  function restartDelays(now: number): void {
    if (now >= latest && now < checkedAt + CHECK_EVERY_MS) return;
    statement.restart.run({ now });
    checkedAt = now;
  }

  return {
    add: ({ key, event, body, receivedAt }) =>
      writeToDisk(() => {
        const token = crypto.randomUUID();
        const row = statement.add.get(key ?? null, event, body, receivedAt, token);
        if (!row) return "present";
        return row["attempts"] === 0 ? "added" : "requeued";
      }),
    take: (limit, leaseMs) =>
      write(() => {
        const now = clock();
        restartDelays(now);
        latest = now;
        return statement.take.all({ now, leaseMs, limit }).map(deliveryOf<Lease>);
      }),
    finish: ({ id }) => write(() => void statement.finish.run(id)),
    renew: ({ id, attempt }, leaseMs) =>
      write(() => void statement.renew.run({ id, attempt, now: clock(), delayMs: leaseMs })),
    retry: ({ id, attempt }, delayMs) =>
      write(() => void statement.retry.run({ id, attempt, now: clock(), delayMs })),
    release: ({ id, attempt }, delayMs) =>
      write(() => void statement.release.run({ id, attempt, now: clock(), delayMs })),
    isolate: ({ id, attempt }, reason) =>
      write(() => void statement.isolate.run({ id, attempt, reason })),
    quarantine: {
      list: async () => statement.list.all().map(deliveryOf<Quarantined>),
      replay: (id) => write(() => statement.replay.run(id).changes === 1),
      discard: (id) => write(() => statement.discard.run(id).changes === 1),
    },
    close() {
      flush();
      database.close();
    },
  };
}

type Quarantined = Awaited<ReturnType<Quarantine["list"]>>[number];

/** Converts a row to a delivery: a key that is NULL becomes undefined. */
function deliveryOf<Delivery>(row: Record<string, unknown>): Delivery {
  return { ...row, key: row["key"] ?? undefined } as Delivery;
}
