import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { createReceiver, type DeliveryReport } from "../../../src/webhooks/index.ts";
import { sqliteDuplicates, sqliteQueue } from "../../../src/webhooks/sqlite/index.ts";
import { bankTransaction, deliver } from "../../support/payloads.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
const NAME = "banktransaction.created";

/** A file of version 0.1.0, with times of the wall clock, whose process was killed. */
function writeOlderFile(path: string, keyOf: (n: number) => string): void {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE webhook_queue (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT UNIQUE,
      event TEXT NOT NULL,
      body TEXT NOT NULL,
      received_at TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER DEFAULT 0,
      reason TEXT
    ) STRICT;
    CREATE INDEX webhook_queue_due ON webhook_queue (due_at);
    CREATE TABLE webhook_duplicates (
      key TEXT PRIMARY KEY,
      token TEXT,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhook_duplicates_expiry ON webhook_duplicates (expires_at);
  `);
  const add = database.prepare(
    `INSERT INTO webhook_queue (key, event, body, received_at, attempts, due_at, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const rows: [number, number | null, string | null][] = [
    [0, 0, null],
    // One is being handled, one waits for its eighth retry.
    [1, Date.now() + 30_000, null],
    [8, Date.now() + 5 * 3600 * 1000, null],
    [9, null, "out of order"],
  ];
  for (const [n, [attempts, dueAt, reason]] of rows.entries()) {
    const body = JSON.stringify(bankTransaction(n));
    add.run(keyOf(n), NAME, body, "2025-03-04T12:30:16.120Z", attempts, dueAt, reason);
  }
  const mark = database.prepare("INSERT INTO webhook_duplicates VALUES (?, ?, ?)");
  // The one being handled is claimed; another was handled before.
  mark.run(keyOf(1), "a-token", Date.now() + 60_000);
  mark.run(keyOf(9), null, Date.now() + 7 * 24 * 3600 * 1000);
  database.close();
}

test("a file of an older version is migrated without losses", async () => {
  const keys: string[] = [];
  const probe = createReceiver({
    on: { [NAME]: () => {} },
    duplicates: {
      claim: (key) => {
        keys.push(key);
        return { state: "done" };
      },
    },
  });
  for (let n = 0; n < 10; n += 1) await probe(deliver(NAME, bankTransaction(n)));

  const path = join(directory, "older.db");
  writeOlderFile(path, (n) => keys[n] ?? "");
  const handled: string[] = [];
  const reports: DeliveryReport[] = [];
  // Twice, because a migrated file must open too.
  for (let start = 0; start < 2; start += 1) {
    const queue = sqliteQueue({ path });
    const duplicates = sqliteDuplicates({ path });
    const receiver = createReceiver({
      on: { [NAME]: ({ body }) => void handled.push(body.id) },
      queue,
      duplicates,
      onDelivery: (report) => reports.push(report),
    });
    await vi.waitFor(() => expect(handled).toHaveLength(3), { timeout: 5000 });
    expect(handled.sort()).toEqual([0, 1, 2].map((n) => bankTransaction(n).id));
    expect(await queue.quarantine.list()).toMatchObject([
      { key: keys[3], attempts: 9, reason: "out of order" },
    ]);
    expect((await receiver(deliver(NAME, bankTransaction(9)))).status).toBe(202);
    await vi.waitFor(() => expect(reports.at(-1)?.outcome).toBe("duplicate"));
    await receiver.close();
    queue.close();
    duplicates.close();
  }
});
