import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { delivery, drain, MINUTE } from "../inbox/store.ts";

const directory = tempDir();
const deleteAll = (path: string) => {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end);
};

function open(file: string) {
  const path = join(directory, file);
  const inbox = sqliteInbox({ path });
  onFinished(() => inbox.close());
  return { path, inbox };
}

/** Opens the file as another program does. */
function other(path: string, statements: readonly string[]) {
  const database = new DatabaseSync(path);
  for (const sql of statements) database.exec(sql);
  database.close();
}

/** Statements that move more than a megabyte from the log to the file. */
const GROW = [
  "CREATE TABLE ballast (bytes BLOB)",
  "INSERT INTO ballast VALUES (zeroblob(1000000))",
  "PRAGMA wal_checkpoint(FULL)",
];

test.each<[string, (path: string) => void, string]>([
  ["deleted", (path) => rmSync(path), "deleted or replaced"],
  ["deleted with its log", deleteAll, "deleted or replaced"],
  ["moved away", (path) => renameSync(path, `${path}.old`), "deleted or replaced"],
  [
    "replaced by a copy",
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
    "deleted or replaced",
  ],
  ["truncated to 0 bytes", (path) => truncateSync(path, 0), "truncated"],
  ["truncated to half", (path) => truncateSync(path, statSync(path).size / 2), "truncated"],
  ["separated from its log", (path) => rmSync(`${path}-wal`), "deleted or replaced"],
  ["its log truncated to 0 bytes", (path) => truncateSync(`${path}-wal`, 0), "truncated"],
])("a file that was %s fails additions, checks and calls of once", async (how, lose, what) => {
  const { path, inbox } = open(`${how.replaceAll(" ", "-")}.db`);
  await inbox.add(delivery("a"));
  other(path, GROW);
  expect(await inbox.add(delivery("b"))).toBe("added");
  lose(path);
  const message = new RegExp(
    `^${path}(-wal)?: was ${what}.*use; put the original file back, or re`,
  );
  const work = vi.fn(async () => {});
  for (let n = 0; n < 30; n += 1) {
    for (const call of [
      inbox.add(delivery(`${n}`)),
      inbox.check(),
      inbox.once(delivery(`once ${n}`), MINUTE, work),
    ]) {
      await expect(call).rejects.toMatchObject({
        code: "file",
        message: expect.stringMatching(message),
      });
    }
  }
  expect(work).not.toHaveBeenCalled();
});

test("deliveries accepted before the file was deleted are handled", async () => {
  const { path, inbox } = open("drained.db");
  for (const key of ["a", "b", "c"]) await inbox.add(delivery(key, "lane"));
  deleteAll(path);
  await expect(inbox.check()).rejects.toMatchObject({ code: "file" });
  expect(await drain(inbox)).toEqual(["a", "b", "c"]);
});

test("a file that was restored works again", async () => {
  const { path, inbox } = open("back.db");
  await inbox.add(delivery("a"));
  renameSync(path, `${path}.old`);
  await expect(inbox.check()).rejects.toMatchObject({ code: "file" });
  renameSync(`${path}.old`, path);
  await inbox.check();
  expect(await inbox.add(delivery("b"))).toBe("added");
});

test("a file that VACUUM shrinks is intact", async () => {
  const { path, inbox } = open("vacuum.db");
  await inbox.add(delivery("a"));
  other(path, GROW);
  expect(await inbox.add(delivery("b"))).toBe("added");
  const before = statSync(path).size;
  other(path, ["DROP TABLE ballast", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"]);
  expect(statSync(path).size).toBeLessThan(before);
  for (const key of ["c", "d"]) expect(await inbox.add(delivery(key))).toBe("added");
  expect((await drain(inbox)).toSorted()).toEqual(["a", "b", "c", "d"]);
});

test.each([
  ["full", "PRAGMA max_page_count = 1", "database or disk is full"],
  ["read-only", "PRAGMA query_only = TRUE", "attempt to write a readonly database"],
])("a file that is %s fails additions and checks until it is not", async (how, spoil, reason) => {
  const { path, inbox } = open(`${how}.db`);
  let own: DatabaseSync | undefined;
  await inbox.once(delivery(null), MINUTE, async (tx) =>
    tx((database) => {
      own = database;
    }),
  );
  own?.exec(spoil);
  const keys = Array.from({ length: 50 }, (_, n) => `${n}`);
  const body = "x".repeat(5000);
  const fails = { code: "file", message: `${path}: ${reason}` };
  await expect(inbox.check()).rejects.toMatchObject(fails);
  const added = await Promise.allSettled(
    keys.map((key) => inbox.add(delivery(key, null, { body }))),
  );
  // They are not tried one by one: all have the same error.
  const errors = new Set(added.map((each) => (each as PromiseRejectedResult).reason));
  expect([...errors]).toEqual([expect.objectContaining(fails)]);
  own?.exec("PRAGMA max_page_count = 100000; PRAGMA query_only = FALSE");
  await inbox.check();
  expect(await inbox.add(delivery("0"))).toBe("added");
});
