import { copyFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createReceiver, type DeliveryReport } from "../../../src/webhooks/index.ts";
import { sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { bankTransaction, deliver } from "../../support/payloads.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { delivery } from "../inbox/store.ts";

const directory = tempDir();
const NAME = "banktransaction.created";
const log = (path: string) => `${path}-wal`;
const deleteAll = (path: string) => {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end);
};

/** A receiver whose handler waits until the test releases it. */
function service(file: string) {
  const path = join(directory, file);
  const reports: DeliveryReport[] = [];
  const handled: string[] = [];
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  const inbox = sqliteInbox({ path });
  const receiver = createReceiver({
    on: {
      [NAME]: async ({ body: { id } }) => {
        await isOpen;
        handled.push(id);
      },
    },
    inbox,
    work: { pollMs: 10 },
    onDelivery: (report) => reports.push(report),
  });
  onTestFinished(async () => {
    open();
    await receiver.close();
    inbox.close();
  });
  let sent = 0;
  const post = async () => (await receiver(deliver(NAME, bankTransaction(sent++)))).status;
  return { path, reports, handled, open, post };
}

const losses: [string, (path: string) => void, string][] = [
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
  ["truncated to 0 bytes", (path) => writeFileSync(path, ""), "truncated"],
  ["separated from its log", (path) => rmSync(log(path)), "deleted or replaced"],
  ["its log truncated to 0 bytes", (path) => truncateSync(log(path), 0), "truncated"],
];

describe("a database file", () => {
  test.each(losses)(
    "that was %s fails deliveries with 500 and a report",
    async (how, lose, what) => {
      const { path, reports, post } = service(`${how.replaceAll(" ", "-")}.db`);
      for (let n = 0; n < 5; n += 1) expect(await post()).toBe(202);
      // Moves the data from the log to the file, so that truncation loses it.
      const other = new DatabaseSync(path);
      other.exec("PRAGMA busy_timeout = 5000");
      other.exec("CREATE TABLE ballast (text TEXT)");
      other.prepare("INSERT INTO ballast VALUES (?)").run("x".repeat(1_000_000));
      other.exec("PRAGMA wal_checkpoint(FULL)");
      other.close();
      expect(statSync(path).size).toBeGreaterThan(1_000_000);
      expect(await post()).toBe(202);
      lose(path);
      for (let n = 0; n < 30; n += 1) expect(await post()).toBe(500);
      const failed = reports.filter(({ outcome, event }) => outcome === "failed" && event === NAME);
      expect(failed.length).toBeGreaterThanOrEqual(30);
      expect(failed[0]?.error).toMatchObject({
        code: "file",
        message: expect.stringMatching(
          new RegExp(
            `^${path}(-wal)?: was ${what}.*in use; put the original file back, or restart`,
          ),
        ),
      });
    },
  );
});

test("a delivery accepted before the file was deleted is handled", async () => {
  const { path, handled, open, post, reports } = service("drained.db");
  for (let n = 0; n < 15; n += 1) expect(await post()).toBe(202);
  deleteAll(path);
  expect(await post()).toBe(500);
  open();
  await vi.waitFor(() => expect(handled.length).toBeGreaterThanOrEqual(15));
  await vi.waitFor(() => {
    expect(reports.filter(({ outcome }) => outcome === "handled")).toHaveLength(handled.length);
  });
});

test("a file that was restored works again", async () => {
  const { path, post } = service("back.db");
  expect(await post()).toBe(202);
  renameSync(path, `${path}.old`);
  expect(await post()).toBe(500);
  renameSync(`${path}.old`, path);
  expect(await post()).toBe(202);
});

test("a file that VACUUM shrinks is intact", async () => {
  const { path, handled, open, post } = service("vacuum.db");
  const other = new DatabaseSync(path);
  other.exec("PRAGMA busy_timeout = 5000");
  other.exec("CREATE TABLE ballast (text TEXT)");
  other.prepare("INSERT INTO ballast VALUES (?)").run("x".repeat(1_000_000));
  other.exec("PRAGMA wal_checkpoint(PASSIVE)");
  expect(await post()).toBe(202);
  const before = statSync(path).size;
  other.exec("DROP TABLE ballast");
  other.exec("VACUUM");
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  other.close();
  expect(statSync(path).size).toBeLessThan(before);
  expect(await post()).toBe(202);
  expect(await post()).toBe(202);
  open();
  await vi.waitFor(() => expect(handled).toHaveLength(3));
});

test("a delivery that is acknowledged after it is handled is refused before", async () => {
  const path = join(directory, "handled.db");
  const inbox = sqliteInbox({ path });
  onTestFinished(() => inbox.close());
  const handler = vi.fn();
  const receiver = createReceiver({ on: { [NAME]: handler }, inbox, acknowledge: "handled" });
  expect((await receiver(deliver(NAME, bankTransaction(1)))).status).toBe(204);
  deleteAll(path);
  expect((await receiver(deliver(NAME, bankTransaction(2)))).status).toBe(500);
  expect(handler).toHaveBeenCalledOnce();
});

test("a database in memory needs no file check", async () => {
  const inbox = sqliteInbox({ path: ":memory:" });
  expect(await inbox.add(delivery("a"))).toBe("added");
  inbox.close();
});
