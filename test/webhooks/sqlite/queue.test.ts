import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteDuplicates, sqliteQueue } from "../../../src/webhooks/sqlite/index.ts";
import { temporaryDirectory } from "../directory.ts";

const directory = temporaryDirectory();
const delivery = (key: string | undefined) => ({
  key,
  event: "transaction.updated",
  body: "{}",
  receivedAt: "2025-03-04T12:30:16.120Z",
});

test("keeps what was added, as it was, when it is opened again", async () => {
  const path = join(directory, "again.db");
  const queue = sqliteQueue({ path });
  expect(await queue.add(delivery("a"))).toBe("added");
  queue.close();
  const again = sqliteQueue({ path });
  expect(await again.take(10, 0, 100)).toEqual([{ ...delivery("a"), id: 1, attempt: 1 }]);
  again.close();
});

test("stores a key once, and what has none each time", async () => {
  const queue = sqliteQueue({ path: ":memory:" });
  const keys = ["a", "a", "b", undefined, undefined];
  const added = await Promise.all(keys.map((key) => queue.add(delivery(key))));
  expect(added).toEqual(["added", "present", "added", "added", "added"]);
  const [taken] = await queue.take(1, 0, 100);
  if (!taken) throw new Error("nothing is due");
  expect(await queue.add(delivery("a"))).toBe("present");
  await queue.isolate(taken, "broken");
  expect(await queue.add(delivery("a"))).toBe("present");
  await queue.quarantine.discard(taken.id);
  expect(await queue.add(delivery("a"))).toBe("added");
  queue.close();
});

test("gives a delivery to one at a time, and anew when its time is over", async () => {
  const queue = sqliteQueue({ path: ":memory:" });
  await Promise.all(["a", "b", "c"].map((key) => queue.add(delivery(key))));
  expect((await queue.take(2, 0, 100)).map(({ key }) => key)).toEqual(["a", "b"]);
  expect((await queue.take(2, 99, 200)).map(({ key }) => key)).toEqual(["c"]);
  expect(await queue.take(2, 99, 200)).toEqual([]);
  const again = await queue.take(9, 100, 200);
  expect(again.map(({ key, attempt }) => [key, attempt])).toEqual([
    ["a", 2],
    ["b", 2],
  ]);
  queue.close();
});

test("hears only of who took a delivery last whether it comes again", async () => {
  const queue = sqliteQueue({ path: ":memory:" });
  await queue.add(delivery("a"));
  const [late] = await queue.take(1, 0, 100);
  const [mine] = await queue.take(1, 100, 200);
  if (!late || !mine) throw new Error("nothing is due");
  await queue.postpone(late, 0);
  await queue.isolate(late, "broken");
  expect(await queue.take(1, 199, 300)).toEqual([]);
  expect(await queue.quarantine.list()).toEqual([]);
  await queue.postpone(mine, 150);
  expect(await queue.take(1, 150, 300)).toHaveLength(1);
  // It was handled, whoever did it.
  await queue.finish(late);
  expect(await queue.take(1, 999, 1000)).toEqual([]);
  queue.close();
});

test("lists the quarantine, replays from it with all attempts, and discards", async () => {
  const queue = sqliteQueue({ path: ":memory:" });
  await Promise.all(["a", "b"].map((key) => queue.add(delivery(key))));
  for (const taken of await queue.take(2, 0, 100)) {
    await queue.isolate(taken, `no ${taken.key}`);
    // A renewal that comes too late takes nothing out.
    await queue.postpone(taken, 0);
  }
  expect(await queue.quarantine.list()).toEqual([
    { ...delivery("a"), id: 1, attempts: 1, reason: "no a" },
    { ...delivery("b"), id: 2, attempts: 1, reason: "no b" },
  ]);
  expect(await queue.take(2, 999, 1000)).toEqual([]);
  expect(await queue.quarantine.replay(1)).toBe(true);
  expect(await queue.quarantine.replay(1)).toBe(false);
  expect(await queue.quarantine.discard(1)).toBe(false);
  expect(await queue.quarantine.discard(2)).toBe(true);
  expect(await queue.take(2, 0, 100)).toMatchObject([{ key: "a", attempt: 1 }]);
  expect(await queue.quarantine.list()).toEqual([]);
  queue.close();
});

test("commits what waits when it is closed, and refuses what comes after", async () => {
  const path = join(directory, "closed.db");
  const queue = sqliteQueue({ path });
  const added = queue.add(delivery("a"));
  queue.close();
  expect(await added).toBe("added");
  await expect(queue.add(delivery("b"))).rejects.toThrow("not open");
  const again = sqliteQueue({ path });
  expect(await again.take(9, 0, 100)).toHaveLength(1);
  again.close();
});

test("takes back all writes of a turn when one of them fails, and says so to each", async () => {
  const queue = sqliteQueue({ path: ":memory:" });
  const bad = { ...delivery("b"), event: null as unknown as string };
  const added = await Promise.allSettled([queue.add(delivery("a")), queue.add(bad)]);
  expect(added.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await queue.add(delivery("a"))).toBe("added");
  queue.close();
});

test("a file that is no database is refused in one line, by queue and store", () => {
  const path = join(directory, "text");
  writeFileSync(path, "no database, but long enough to be taken for one, ".repeat(100));
  for (const open of [sqliteQueue, sqliteDuplicates]) {
    expect(() => open({ path })).toThrow(
      expect.objectContaining({
        code: "file",
        message: `${path}: can't be used as a database: file is not a database`,
      }),
    );
  }
});

test("an empty path is refused, as nothing would outlive the process", () => {
  for (const open of [sqliteQueue, sqliteDuplicates]) {
    expect(() => open({ path: "" })).toThrow(
      expect.objectContaining({ code: "file", message: expect.stringContaining("give a file") }),
    );
  }
});

test("a store remembers what is done when it is opened again", async () => {
  const path = join(directory, "done.db");
  const store = sqliteDuplicates({ path });
  const claim = await store.claim("a");
  if (claim.state !== "claimed") throw new Error(claim.state);
  await claim.done();
  await store.claim("b");
  store.close();
  const again = sqliteDuplicates({ path });
  expect(await again.claim("a")).toEqual({ state: "done" });
  expect(await again.claim("b")).toEqual({ state: "busy" });
  again.close();
});
