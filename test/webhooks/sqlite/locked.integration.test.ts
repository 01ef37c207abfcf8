import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { ROOT } from "../../document.ts";
import { onFinished } from "../../support/on-finished.ts";
import { startNode } from "../../support/program.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { delivery, drain, MINUTE } from "../inbox/store.ts";

const directory = tempDir();
const LOCK = `
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
  database.exec("BEGIN EXCLUSIVE");
  console.log("locked");
  process.stdin.once("data", () => process.exit());`;

/** Locks a file in another process; returns how to release it. */
async function lock(path: string) {
  const program = startNode(["--no-warnings", "-e", LOCK, path]);
  await program.until(/locked/);
  return async () => {
    program.child.stdin.write("\n");
    await program.ended;
  };
}

/** Measures the longest time that the event loop was blocked. */
function watchEventLoop() {
  let last = performance.now();
  let gap = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    gap = Math.max(gap, now - last);
    last = now;
  }, 5);
  onFinished(() => clearInterval(timer));
  return () => gap;
}

function open(file: string) {
  const path = join(directory, file);
  const inbox = sqliteInbox({ path });
  onFinished(() => inbox.close());
  return { path, inbox };
}

test("calls wait for another process without blocking the event loop, then reject", async () => {
  const { path, inbox } = open("long.db");
  await inbox.add(delivery("a", "lane"));
  const [lease] = await inbox.take(1, MINUTE);
  if (!lease) throw new Error("not due");
  const release = await lock(path);
  const gap = watchEventLoop();
  const work = vi.fn(async () => {});
  const start = performance.now();
  const calls: Promise<unknown>[] = [
    inbox.add(delivery("b")),
    wait(2000).then(() => inbox.add(delivery("late"))),
    inbox.check(),
    inbox.take(1, MINUTE),
    inbox.renew([lease], MINUTE),
    inbox.once(delivery("c"), MINUTE, work),
    inbox.transaction(MINUTE, async () => [{ lease, handled: [], quarantined: [] }]),
    inbox.drop({}),
  ];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({
      reason: {
        code: "file",
        message: `${path}: is locked by another process; stop it, or end its transaction`,
      },
    });
  }
  const elapsed = performance.now() - start;
  expect(elapsed).toBeGreaterThan(3500);
  expect(elapsed).toBeLessThan(5500);
  expect(work).not.toHaveBeenCalled();
  expect(gap()).toBeLessThan(500);
  // Another process that writes does not stop reads.
  expect(await inbox.list()).toHaveLength(1);
  await release();
  await inbox.check();
  expect(await inbox.add(delivery("b"))).toBe("added");
  expect(await inbox.renew([lease], MINUTE)).toEqual([]);
}, 30_000);

test("calls succeed, in order, when the other process ends its transaction", async () => {
  const { path, inbox } = open("short.db");
  const release = await lock(path);
  const added: Promise<unknown>[] = [];
  for (const key of ["a", "b", "c"]) {
    added.push(inbox.add(delivery(key, "lane")));
    await wait(100);
  }
  await release();
  const start = performance.now();
  expect(await Promise.all(added)).toEqual(["added", "added", "added"]);
  expect(performance.now() - start).toBeLessThan(500);
  expect(await drain(inbox)).toEqual(["a", "b", "c"]);
});

test("once waits only once for a locked file", async () => {
  const { path, inbox } = open("once.db");
  let release = async () => {};
  let start = 0;
  const work = async () => {
    release = await lock(path);
    start = performance.now();
  };
  await expect(inbox.once(delivery("a"), MINUTE, work)).rejects.toMatchObject({ code: "file" });
  expect(performance.now() - start).toBeLessThan(6000);
  await release();
});

test("close waits for pending writes", async () => {
  const { path, inbox } = open("closed.db");
  const release = await lock(path);
  const added = inbox.add(delivery("a"));
  const closing = inbox.close();
  await wait(100);
  await release();
  await closing;
  expect(await added).toBe("added");
});

test("opening a locked file waits, then fails with one line", async () => {
  const path = join(directory, "new.db");
  new DatabaseSync(path).close();
  await lock(path);
  const start = performance.now();
  const message = expect.stringContaining(`${path}: is locked by another process`);
  expect(() => sqliteInbox({ path })).toThrow(expect.objectContaining({ code: "file", message }));
  expect(performance.now() - start).toBeGreaterThan(3500);
  expect(performance.now() - start).toBeLessThan(5500);
}, 30_000);

test("a read that is refused is repeated", async () => {
  const { inbox } = open("read.db");
  await inbox.add(delivery("a"));
  const busy = Object.assign(new Error("database is locked"), { errcode: 261 });
  const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
  onFinished(() => prepare.mockRestore());
  for (let n = 0; n < 3; n += 1) {
    prepare.mockImplementationOnce(() => {
      throw busy;
    });
  }
  expect(await inbox.list()).toHaveLength(1);
  expect(prepare).toHaveBeenCalledTimes(4);
});

const FILES = 30;
const OPEN = `
  import { sqliteInbox } from ${JSON.stringify(join(ROOT, "src/webhooks/sqlite/index.ts"))};
  for (let n = 0; n < ${FILES}; n++) sqliteInbox({ path: process.argv[1] + n }).close();`;

test("processes can create the same file concurrently", async () => {
  const args = ["--no-warnings", "--input-type=module", "-e", OPEN, join(tempDir(), "db-")];
  const ends = await Promise.all(Array.from({ length: 4 }, () => startNode(args).ended));
  expect(ends).toEqual(ends.map(() => ({ status: 0, stdout: "", stderr: "" })));
});
