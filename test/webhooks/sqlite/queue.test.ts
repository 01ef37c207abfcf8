import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteDuplicates, sqliteQueue } from "../../../src/webhooks/sqlite/index.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
/** A queue with a clock that `at` sets. */
function queueAt(path = ":memory:") {
  const clock = { now: 0 };
  const queue = sqliteQueue({ path, now: () => clock.now });
  const at = (now: number) => {
    clock.now = now;
    return queue;
  };
  return { queue, at };
}

const delivery = (key: string | undefined) => ({
  key,
  event: "transaction.updated",
  body: "{}",
  receivedAt: "2025-03-04T12:30:16.120Z",
});

test("added deliveries are unchanged after reopening", async () => {
  const path = join(directory, "again.db");
  const queue = sqliteQueue({ path });
  expect(await queue.add(delivery("a"))).toBe("added");
  queue.close();
  const again = sqliteQueue({ path });
  expect(await again.take(10, 100)).toEqual([
    {
      ...delivery("a"),
      id: 1,
      attempt: 1,
      failures: 0,
      interruptions: 0,
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  ]);
  again.close();
});

test("a key is stored once, a delivery without a key each time", async () => {
  const queue = sqliteQueue({ path: ":memory:" });
  const keys = ["a", "a", "b", undefined, undefined];
  const added = await Promise.all(keys.map((key) => queue.add(delivery(key))));
  expect(added).toEqual(["added", "present", "added", "added", "added"]);
  const [taken] = await queue.take(1, 100);
  if (!taken) throw new Error("nothing is due");
  expect(await queue.add(delivery("a"))).toBe("present");
  await queue.finish(taken);
  expect(await queue.add(delivery("a"))).toBe("added");
  queue.close();
});

test("a redelivery requeues a delivery in quarantine", async () => {
  const { queue, at } = queueAt();
  await queue.add(delivery("a"));
  const [first] = await queue.take(1, 100);
  if (!first) throw new Error("nothing is due");
  await queue.retry(first, 0);
  const [second] = await queue.take(1, 100);
  if (!second) throw new Error("nothing is due");
  await queue.isolate(second, "broken");
  // The first version is kept, because the event's name may be unsigned.
  expect(await queue.add({ ...delivery("a"), event: "x", body: "[]" })).toBe("requeued");
  expect(await queue.quarantine.list()).toEqual([]);
  expect(await queue.add(delivery("a"))).toBe("present");
  const [again] = await at(1).take(9, 100);
  expect(again).toMatchObject({ ...delivery("a"), failures: 0, interruptions: 0 });
  queue.close();
});

test("a delivery is leased once, and again after the lease expires", async () => {
  const { queue, at } = queueAt();
  await Promise.all(["a", "b", "c"].map((key) => queue.add(delivery(key))));
  expect((await at(0).take(2, 100)).map(({ key }) => key)).toEqual(["a", "b"]);
  expect((await at(99).take(2, 101)).map(({ key }) => key)).toEqual(["c"]);
  expect(await at(99).take(2, 100)).toEqual([]);
  const again = await at(100).take(9, 100);
  expect(again.map(({ key, attempt, interruptions }) => [key, attempt, interruptions])).toEqual([
    ["a", 2, 1],
    ["b", 2, 1],
  ]);
  queue.close();
});

test("a renewed lease lasts from now", async () => {
  const { queue, at } = queueAt();
  await queue.add(delivery("a"));
  const [taken] = await at(0).take(1, 100);
  if (!taken) throw new Error("nothing is due");
  await at(90).renew(taken, 100);
  expect(await at(189).take(1, 100)).toEqual([]);
  expect(await at(190).take(1, 100)).toHaveLength(1);
  queue.close();
});

test("retry counts a failure, release does not", async () => {
  const { queue, at } = queueAt();
  await queue.add(delivery("a"));
  const take = async (now: number) => {
    const [taken] = await at(now).take(1, 100);
    if (!taken) throw new Error("nothing is due");
    return taken;
  };
  await at(0).retry(await take(0), 50);
  expect(await at(49).take(1, 100)).toEqual([]);
  await at(50).release(await take(50), 10);
  // The process ended.
  expect(await take(60)).toMatchObject({ failures: 1, interruptions: 0 });
  const interrupted = await take(160);
  expect(interrupted).toMatchObject({ failures: 1, interruptions: 1 });
  await at(160).release(interrupted, 0);
  const again = await take(160);
  expect(again).toMatchObject({ failures: 1, interruptions: 1 });
  await at(160).retry(again, 0);
  expect(await take(160)).toMatchObject({ failures: 2, interruptions: 0 });
  queue.close();
});

test("only the latest lease can change a delivery", async () => {
  const { queue, at } = queueAt();
  await queue.add(delivery("a"));
  const [late] = await at(0).take(1, 100);
  const [mine] = await at(100).take(1, 100);
  if (!late || !mine) throw new Error("nothing is due");
  await queue.retry(late, 0);
  await queue.release(late, 0);
  await queue.renew(late, 0);
  await queue.isolate(late, "broken");
  expect(await at(199).take(1, 100)).toEqual([]);
  expect(await queue.quarantine.list()).toEqual([]);
  await at(100).release(mine, 50);
  expect(await at(150).take(1, 100)).toHaveLength(1);
  // An older lease can still finish it: it was handled.
  await queue.finish(late);
  expect(await at(999).take(1, 1)).toEqual([]);
  queue.close();
});

test("quarantine lists, replays with all attempts, and discards", async () => {
  const { queue, at } = queueAt();
  await Promise.all(["a", "b"].map((key) => queue.add(delivery(key))));
  for (const taken of await queue.take(2, 100)) {
    await queue.isolate(taken, `no ${taken.key}`);
    // A late renewal does not remove it from quarantine.
    await queue.renew(taken, 0);
  }
  expect(await queue.quarantine.list()).toEqual([
    { ...delivery("a"), id: 1, attempts: 1, reason: "no a" },
    { ...delivery("b"), id: 2, attempts: 1, reason: "no b" },
  ]);
  expect(await at(999).take(2, 1)).toEqual([]);
  expect(await queue.quarantine.replay(1)).toBe(true);
  expect(await queue.quarantine.replay(1)).toBe(false);
  expect(await queue.quarantine.discard(1)).toBe(false);
  expect(await queue.quarantine.discard(2)).toBe(true);
  expect(await queue.take(2, 100)).toMatchObject([{ key: "a", failures: 0, interruptions: 0 }]);
  expect(await queue.quarantine.list()).toEqual([]);
  queue.close();
});

test("close commits pending writes and refuses later ones", async () => {
  const path = join(directory, "closed.db");
  const queue = sqliteQueue({ path });
  const added = queue.add(delivery("a"));
  queue.close();
  expect(await added).toBe("added");
  await expect(queue.add(delivery("b"))).rejects.toThrow("not open");
  const again = sqliteQueue({ path });
  expect(await again.take(9, 100)).toHaveLength(1);
  again.close();
});

test("one failing write rolls back and rejects all of its turn", async () => {
  const queue = sqliteQueue({ path: ":memory:" });
  const bad = { ...delivery("b"), event: null as unknown as string };
  const added = await Promise.allSettled([queue.add(delivery("a")), queue.add(bad)]);
  expect(added.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await queue.add(delivery("a"))).toBe("added");
  queue.close();
});

test("a file that is not a database is refused in one line", () => {
  const path = join(directory, "text");
  writeFileSync(path, "not a database, but longer than its header,  ".repeat(100));
  for (const open of [sqliteQueue, sqliteDuplicates]) {
    expect(() => open({ path })).toThrow(
      expect.objectContaining({
        code: "file",
        message: `${path}: can't be used as a database: file is not a database`,
      }),
    );
  }
});

test("an empty path is refused", () => {
  for (const open of [sqliteQueue, sqliteDuplicates]) {
    expect(() => open({ path: "" })).toThrow(
      expect.objectContaining({ code: "file", message: expect.stringContaining("give a file") }),
    );
  }
});

test("a store remembers handled deliveries after reopening", async () => {
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
