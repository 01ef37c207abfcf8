import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { type SqliteTransaction, sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { delivery, drain, handled, MINUTE, settle, takeOne } from "../inbox/store.ts";

const directory = tempDir();

function open(file: string, options = {}) {
  const path = file === ":memory:" ? file : join(directory, file);
  const inbox = sqliteInbox({ path, ...options });
  onFinished(() => inbox.close());
  return inbox;
}

test("stored deliveries, quarantine and remembered keys are unchanged after reopening", async () => {
  const inbox = open("again.db");
  for (const key of ["a", "b", "c"]) await inbox.add(delivery(key, "lane"));
  const lease = await takeOne(inbox);
  const [a = 0, b = 0] = lease.deliveries.map(({ id }) => id);
  await settle(inbox, { lease, handled: [a], quarantined: [{ id: b, reason: "broken" }] });
  const before = await inbox.list();
  inbox.close();
  const again = open("again.db");
  expect(await again.list()).toEqual(before);
  expect(await again.add(delivery("a", "lane"))).toBe("handled");
  expect(await drain(again)).toEqual(["c"]);
});

test("close commits pending writes and refuses later ones", async () => {
  const inbox = open("closed.db");
  const added = inbox.add(delivery("a"));
  inbox.close();
  expect(await added).toBe("added");
  await expect(inbox.add(delivery("b"))).rejects.toThrow("not open");
  expect(await drain(open("closed.db"))).toEqual(["a"]);
});

test("one failing addition rolls back and rejects all of its turn", async () => {
  const inbox = open(":memory:");
  const bad = { ...delivery("b"), event: null as unknown as string };
  const added = await Promise.allSettled([inbox.add(delivery("a")), inbox.add(bad)]);
  expect(added.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await inbox.add(delivery("a"))).toBe("added");
});

test.each([
  ["text", "not a database, but longer than its header,  ".repeat(100), "file is not a database"],
  ["folder/missing.db", undefined, "unable to open database file"],
])("the file %s is refused in one line", (file, text, reason) => {
  const path = join(directory, file);
  if (text !== undefined) writeFileSync(path, text);
  expect(() => sqliteInbox({ path })).toThrow(
    expect.objectContaining({
      code: "file",
      message: `${path}: can't be used as a database: ${reason}`,
    }),
  );
});

test.each([
  [{ path: "" }, "file", "the path of a database is empty; give a file"],
  [{ path: ":memory:", keepMs: Number.NaN }, "usage", "sqliteInbox: keepMs must be an integer"],
  [{ path: ":memory:", leaseMs: 0 }, "usage", "sqliteInbox: leaseMs must be an integer"],
  [{ path: ":memory:", keepms: 1 }, "usage", 'sqliteInbox: unknown option "keepms"'],
])("the options %j are refused", (options, code, message) => {
  expect(() => sqliteInbox(options)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  );
});

test("a lease has at most 1 MB of bodies, but at least one delivery", async () => {
  const inbox = open(":memory:");
  const body = "x".repeat(600_000);
  for (let n = 0; n < 3; n += 1) await inbox.add(delivery(`${n}`, "lane", { body }));
  await inbox.add(delivery("large", "other", { body: body.repeat(3) }));
  const leases = await inbox.take(2, MINUTE);
  expect(leases.map(({ deliveries }) => deliveries.length)).toEqual([1, 1]);
  await settle(inbox, ...leases.map((lease) => handled(lease)));
  expect(await drain(inbox)).toEqual(["1", "2"]);
});

describe("the statements of a handler", () => {
  /** Runs a handler with a table of effects, in the same turn as an addition. */
  async function run(handle: (tx: SqliteTransaction) => void) {
    const inbox = open(":memory:");
    await inbox.once(delivery(null), async (tx) => {
      tx((database) => database.exec("CREATE TABLE effect (text TEXT)"));
    });
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox);
    const transaction = inbox.transaction(async (runPart) => {
      await runPart((tx) => handle(tx));
      return [handled(lease)];
    });
    const result = await transaction.then(
      () => "committed",
      (error) => error,
    );
    const rows: unknown[] = [];
    await inbox.once(delivery(null), async (tx) =>
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

  test("must be synchronous", async () => {
    const { result, rows, waiting } = await run((tx) => {
      insert(tx);
      tx(async () => {});
    });
    expect(result).toMatchObject({
      code: "usage",
      message: "the function passed to tx must be synchronous; got a promise",
    });
    expect({ rows, waiting }).toEqual({ rows: [], waiting: ["a"] });
  });

  test.each(["COMMIT", "ROLLBACK", "END"])("must not use %s", async (sql) => {
    const { result, waiting } = await run((tx) => tx((database) => database.exec(sql)));
    expect(result).toMatchObject({
      code: "usage",
      message: expect.stringContaining("use BEGIN, COMMIT, END or ROLLBACK"),
    });
    expect(waiting).toEqual(["a"]);
  });

  test("are refused after the handler ended", async () => {
    let late: SqliteTransaction | undefined;
    const { result } = await run((tx) => {
      late = tx;
    });
    expect(result).toBe("committed");
    expect(() => late?.(() => {})).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("await") }),
    );
  });

  test("that fail do not fail additions of the same commit", async () => {
    const inbox = open(":memory:");
    const error = new Error("no");
    const failing = inbox.transaction(async (runPart) => {
      await runPart((tx) =>
        tx(() => {
          throw error;
        }),
      );
      return [];
    });
    const failed = expect(failing).rejects.toBe(error);
    // The transaction writes one of these turns.
    const added: Promise<string>[] = [];
    for (let n = 0; n < 20; n += 1) {
      added.push(inbox.add(delivery(`${n}`)));
      await Promise.resolve();
    }
    await failed;
    expect(new Set(await Promise.all(added))).toEqual(new Set(["added"]));
  });
});

describe("a call of once", () => {
  test("keeps its claim while its work runs longer than the lease", async () => {
    const [inbox, other] = [open("long.db", { leaseMs: 60 }), open("long.db", { leaseMs: 60 })];
    const running = inbox.once(delivery("a", "lane"), () => wait(300));
    for (let n = 0; n < 10; n += 1) {
      await wait(25);
      expect(await other.once(delivery("a", "lane"), async () => {})).toBe("busy");
      expect(await other.take(1, 60)).toEqual([]);
    }
    expect(await running).toBe("handled");
  });

  test("whose process ended is repeated after its lease", async () => {
    let now = 0;
    const options = { now: () => now, leaseMs: 1000 };
    const ended = sqliteInbox({ path: join(directory, "ended.db"), ...options });
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const unanswered = ended.once(delivery("a", "lane"), () => promise);
    await wait(10);
    ended.close();
    const inbox = open("ended.db", options);
    now = 999;
    expect(await inbox.once(delivery("a", "lane"), async () => {})).toBe("busy");
    now = 1000;
    expect(await inbox.once(delivery("a", "lane"), async () => {})).toBe("handled");
    end();
    await expect(unanswered).rejects.toThrow("not open");
  });

  test("that lost its claim records nothing", async () => {
    let now = 0;
    const [late, other] = [1, 2].map(() => open("late.db", { now: () => now, leaseMs: 60_000 }));
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const effect = vi.fn();
    const running = late?.once(delivery("a", "lane"), async (tx) => {
      await promise;
      tx(effect);
    });
    await wait(10);
    // The process stalls, and another one handles the delivery.
    now = 60_000;
    expect(await other?.once(delivery("a", "lane"), async () => {})).toBe("handled");
    end();
    await expect(running).rejects.toMatchObject({ code: "lease-lost" });
    expect(effect).not.toHaveBeenCalled();
  });

  test("that a process did not end leaves no lane behind", async () => {
    let now = 0;
    const inbox = open(":memory:", { now: () => now });
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const running = inbox.once(delivery("a", "lane"), () => promise);
    await wait(10);
    now = MINUTE;
    expect(await inbox.take(10, MINUTE)).toEqual([]);
    await inbox.add(delivery("b", "lane"));
    expect(await drain(inbox)).toEqual(["b"]);
    end();
    await expect(running).rejects.toMatchObject({ code: "lease-lost" });
  });
});
