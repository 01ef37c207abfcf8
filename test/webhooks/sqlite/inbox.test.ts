import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  memoryInbox,
  type SqliteTransaction,
  sqliteInbox,
} from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { delivery, drain, handled, MINUTE, takeOne } from "../inbox/store.ts";

const directory = tempDir();
const fileOf = () => join(directory, `${randomUUID()}.db`);

function open(path = ":memory:", options = {}) {
  const inbox = sqliteInbox({ path, ...options });
  onFinished(() => inbox.close());
  return inbox;
}

test("close commits pending writes and refuses later ones", async () => {
  const path = fileOf();
  const inbox = open(path);
  const lost = inbox.once(delivery("b"), MINUTE, () => wait(20));
  await wait(10);
  const added = inbox.add(delivery("a"));
  await inbox.close();
  expect(await added).toBe("added");
  const late = [lost, inbox.add(delivery("b")), inbox.take(1, 1), inbox.list()];
  const closed = { reason: { code: "usage", message: "the inbox is closed" } };
  expect(await Promise.allSettled(late)).toMatchObject(late.map(() => closed));
  expect(await drain(open(path))).toEqual(["a"]);
});

test.each([
  ["text", "not a database, but longer than its header,  ".repeat(100), "file is not a database"],
  ["folder/missing.db", undefined, "unable to open database file"],
])("the file %s is refused in one line", (file, text, reason) => {
  const path = join(directory, file);
  if (text !== undefined) writeFileSync(path, text);
  const message = `${path}: can't be used as a database: ${reason}`;
  expect(() => sqliteInbox({ path })).toThrow(expect.objectContaining({ code: "file", message }));
});

test.each([
  [sqliteInbox, { path: "" }, "file", "the path of a database is empty; give a file"],
  [
    sqliteInbox,
    { path: "a", keepMs: Number.NaN },
    "usage",
    "keepMs must be an integer of at least 1",
  ],
  [sqliteInbox, { path: "a", keepms: 1 }, "usage", 'sqliteInbox: unknown option "keepms"'],
  [sqliteInbox, { path: "a", leaseMs: 1 }, "usage", 'sqliteInbox: unknown option "leaseMs"'],
  [memoryInbox, { limit: 1 }, "usage", 'memoryInbox: unknown option "limit"'],
  [memoryInbox, { keepMs: 1e15 }, "usage", "memoryInbox: keepMs must be an integer of at most"],
])("%o refuses the options %j", (create, options, code, message) => {
  expect(() => (create as (options: object) => unknown)(options)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  );
});

test("a file of a newer version is refused in one line, unchanged", async () => {
  const path = fileOf();
  const inbox = sqliteInbox({ path });
  await inbox.add(delivery("a"));
  inbox.close();
  const database = new DatabaseSync(path);
  onFinished(() => database.close());
  database.exec("UPDATE webhook_version SET version = 99");
  const message = `${path}: can't be used as a database: its tables have version 99, this txfeed knows 1; install the txfeed that wrote it, or a later one`;
  expect(() => sqliteInbox({ path })).toThrow(expect.objectContaining({ code: "file", message }));
  expect(database.prepare("SELECT key FROM webhook_delivery").all()).toEqual([{ key: "a" }]);
  expect(database.prepare("SELECT version FROM webhook_version").all()).toEqual([{ version: 99 }]);
});

test("the tables of the user are unchanged", async () => {
  const path = fileOf();
  const database = new DatabaseSync(path);
  onFinished(() => database.close());
  database.exec("CREATE TABLE account (id TEXT); INSERT INTO account VALUES ('a')");
  database.exec("PRAGMA user_version = 7; PRAGMA application_id = 5");
  await open(path).add(delivery("a"));
  expect(database.prepare("SELECT id FROM account").all()).toEqual([{ id: "a" }]);
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 7 });
  expect(database.prepare("PRAGMA application_id").get()).toEqual({ application_id: 5 });
});

describe("the statements of a handler", () => {
  /** Runs a handler with a table of effects. */
  async function run(handle: (tx: SqliteTransaction) => void) {
    const inbox = open();
    await inbox.once(delivery(null), MINUTE, async (tx) => {
      tx((database) => database.exec("CREATE TABLE effect (text TEXT)"));
    });
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox);
    const transaction = inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => handle(tx));
      return [handled(lease)];
    });
    const result = await transaction.then(
      () => "committed",
      (error) => error,
    );
    const rows: unknown[] = [];
    await inbox.once(delivery(null), MINUTE, async (tx) =>
      tx((database) => rows.push(...database.prepare("SELECT text FROM effect").all())),
    );
    const waiting = (await inbox.list()).map(({ key }) => key);
    return { result, rows, waiting };
  }
  const insert = (tx: SqliteTransaction) =>
    tx((database) => database.exec("INSERT INTO effect VALUES ('a')"));

  test("run in order at the commit", async () => {
    const order: string[] = [];
    const { result, rows, waiting } = await run((tx) => {
      insert(tx);
      tx((database) => {
        order.push("first");
        database.exec("UPDATE effect SET text = text || 'b'");
      });
      tx(() => void order.push("second"));
      order.push("handler");
    });
    expect({ result, rows, waiting, order }).toEqual({
      result: "committed",
      rows: [{ text: "ab" }],
      waiting: [],
      order: ["handler", "first", "second"],
    });
  });

  test.each<[string, (own: DatabaseSync) => void, string]>([
    ["return a promise", async () => {}, "passed to tx must be synchronous; got a promise"],
    ["use COMMIT", (own) => own.exec("COMMIT"), "don't use BEGIN, COMMIT, END or ROLLBACK"],
    ["use ROLLBACK", (own) => own.exec("ROLLBACK"), "don't use BEGIN, COMMIT, END or ROLLBACK"],
    ["use END", (own) => own.exec("END"), "don't use BEGIN, COMMIT, END or ROLLBACK"],
  ])("must not %s", async (_what, work, message) => {
    const { result, waiting } = await run((tx) => tx(work));
    expect(result).toMatchObject({ code: "usage", message: expect.stringContaining(message) });
    expect(waiting).toEqual(["a"]);
  });

  test("are refused after the handler ended", async () => {
    let late: SqliteTransaction | undefined;
    await run((tx) => {
      late = tx;
    });
    expect(() => late?.(() => {})).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("await") }),
    );
  });

  test("that fail do not fail additions of the same commit", async () => {
    const inbox = open();
    const error = new Error("no");
    const failing = inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) =>
        tx(() => {
          throw error;
        }),
      );
      return [];
    });
    const added = Array.from({ length: 20 }, (_, n) => inbox.add(delivery(`${n}`)));
    await expect(failing).rejects.toBe(error);
    expect(new Set(await Promise.all(added))).toEqual(new Set(["added"]));
  });
});

test("a call of once keeps its leases while its work runs longer than they last", async () => {
  const path = fileOf();
  const [inbox, other] = [open(path), open(path)];
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const running = inbox.once(delivery("a", "lane"), 600, () => promise);
  for (const until = performance.now() + 1800; performance.now() < until; await wait(100)) {
    expect(await other.once(delivery("a", "lane"), 600, async () => {})).toBe("busy");
    expect(await other.take(1, 600)).toEqual([]);
  }
  end();
  expect(await running).toBe("handled");
});
