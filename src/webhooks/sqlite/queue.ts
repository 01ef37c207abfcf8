import type { DeliveryQueue, QuarantinedDelivery, TakenDelivery } from "../queue.ts";
import { openDatabase } from "./database.ts";
import { groupCommit } from "./group-commit.ts";

// A delivery without a moment at which it is due is in the quarantine. Ids are never given twice.
const SCHEMA = `
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
`;
const DELIVERY = "id, key, event, body, received_at AS receivedAt";
// Who took it has the latest attempt, unless somebody else took it since.
const IS_MINE = "id = ? AND attempts = ? AND due_at IS NOT NULL";

/** A queue on SQLite. */
export interface SqliteQueue extends DeliveryQueue {
  /** Closes the file. What is not finished is there when it is opened again. */
  close(): void;
}

/**
 * Opens a queue in a file, for any number of processes of one machine. What was added is on the
 * disk: it survives the end of the process, and a power loss as far as the disk keeps its word.
 * The rest is not waited for: after a power loss what was just finished may be handled again.
 *
 * @param options.path The file; made where it is not there.
 * @throws TxfeedError `file` where the file can't be opened or is no database.
 */
export function sqliteQueue({ path }: { readonly path: string }): SqliteQueue {
  const database = openDatabase(path, SCHEMA);
  const { write, writeToDisk, flush } = groupCommit(database);
  const statement = {
    add: database.prepare(
      `INSERT INTO webhook_queue (key, event, body, received_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO NOTHING`,
    ),
    take: database.prepare(
      `UPDATE webhook_queue SET due_at = ?, attempts = attempts + 1
       WHERE id IN (SELECT id FROM webhook_queue WHERE due_at <= ? ORDER BY due_at, id LIMIT ?)
       RETURNING ${DELIVERY}, attempts AS attempt`,
    ),
    finish: database.prepare("DELETE FROM webhook_queue WHERE id = ?"),
    postpone: database.prepare(`UPDATE webhook_queue SET due_at = ? WHERE ${IS_MINE}`),
    isolate: database.prepare(
      `UPDATE webhook_queue SET due_at = NULL, reason = ? WHERE ${IS_MINE}`,
    ),
    list: database.prepare(
      `SELECT ${DELIVERY}, attempts, reason FROM webhook_queue WHERE due_at IS NULL ORDER BY id`,
    ),
    replay: database.prepare(
      "UPDATE webhook_queue SET due_at = 0, attempts = 0 WHERE id = ? AND due_at IS NULL",
    ),
    discard: database.prepare("DELETE FROM webhook_queue WHERE id = ? AND due_at IS NULL"),
  };

  return {
    add: ({ key, event, body, receivedAt }) =>
      writeToDisk(() => {
        const { changes } = statement.add.run(key ?? null, event, body, receivedAt);
        return changes === 1 ? "added" : "present";
      }),
    take: (limit, now, until) =>
      write(() => statement.take.all(until, now, limit).map(keyed<TakenDelivery>)),
    finish: ({ id }) => write(() => void statement.finish.run(id)),
    postpone: ({ id, attempt }, until) =>
      write(() => void statement.postpone.run(until, id, attempt)),
    isolate: ({ id, attempt }, reason) =>
      write(() => void statement.isolate.run(reason, id, attempt)),
    quarantine: {
      list: async () => statement.list.all().map(keyed<QuarantinedDelivery>),
      replay: (id) => write(() => statement.replay.run(id).changes === 1),
      discard: (id) => write(() => statement.discard.run(id).changes === 1),
    },
    close() {
      flush();
      database.close();
    },
  };
}

/** A row as a delivery, whose key is undefined where it has none. */
function keyed<Delivery>(row: Record<string, unknown>): Delivery {
  return { ...row, key: row.key ?? undefined } as Delivery;
}
