import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { createReceiver, type DeliveryReport } from "../../../src/webhooks/index.ts";
import { sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { bankTransaction, deliver, uuid } from "../../support/payloads.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { delivery, drain, handled, keysOf, MINUTE, retried, settle } from "../inbox/store.ts";
import { type OlderRow, type OlderVersion, SCHEMAS, writeOlderFile } from "./older-file.ts";

const directory = tempDir();
const fileOf = () => join(directory, `${randomUUID()}.db`);
const HOUR = 60 * MINUTE;
const CREATED = "banktransaction.created";
const DELETED = "banktransaction.deleted";
const VERSIONS = Object.keys(SCHEMAS) as OlderVersion[];

/** The clock of the inbox; that of the wall is far ahead. */
const NOW = 10 * HOUR;

function open(path: string, now: () => number = () => NOW) {
  const inbox = sqliteInbox({ path, now });
  onFinished(() => inbox.close());
  return inbox;
}

/** A row of the queue about the n-th bank transaction. */
function row(key: string | null, n: number, columns: OlderRow = {}): OlderRow {
  return {
    key,
    event: CREATED,
    body: JSON.stringify(bankTransaction(n)),
    received_at: "2025-03-04T12:30:16.120Z",
    ...columns,
  };
}

/** The keys of tables in a file. */
function tablesOf(path: string): string[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  database.close();
  return rows.map(({ name }) => String(name));
}

describe.each(VERSIONS)("upgrades that keep the tables: a file of the version %s", (version) => {
  const wallClock = Date.now();
  const isOldest = version === "0.1.0";

  test("is migrated without losses, also if it is opened again", async () => {
    const path = fileOf();
    const rows = [
      row("waiting", 1),
      row("leased", 2, { attempts: 1, due_at: NOW + 30_000 }),
      row("delayed", 3, { attempts: 8, due_at: NOW + HOUR }),
      row("quarantined", 4, { attempts: 9, due_at: null, reason: "it's out of order" }),
      row(null, 5),
      row("unknown", 6, { event: "something.new", body: '{"a":"👍"}' }),
      row("broken", 7, { body: "{" }),
    ];
    writeOlderFile(path, version, rows, [
      { key: "handled", token: null, expires_at: wallClock + HOUR },
      { key: "leased", token: "a-token", expires_at: NOW + MINUTE },
    ]);
    let lists: unknown;
    for (let start = 0; start < 2; start += 1) {
      const inbox = sqliteInbox({ path });
      const list = await inbox.list();
      expect(list.map(({ key, state, reason }) => [key, state, reason])).toEqual([
        ["waiting", "waiting", null],
        ["leased", "waiting", null],
        ["delayed", "waiting", null],
        ["quarantined", "quarantined", "it's out of order"],
        [null, "waiting", null],
        ["unknown", "waiting", null],
        ["broken", "waiting", null],
      ]);
      for (const [at, { event, body, receivedAt, headers, deliveryId }] of list.entries()) {
        const { event: name, body: text, received_at } = rows[at] ?? {};
        expect([event, body, receivedAt, headers, deliveryId]).toEqual([
          name,
          text,
          received_at,
          {},
          null,
        ]);
      }
      lists ??= list;
      expect(list).toEqual(lists);
      expect(await inbox.add(delivery("handled"))).toBe("handled");
      inbox.close();
    }
    expect(tablesOf(path).filter((name) => /queue|duplicates/.test(name))).toEqual([]);
  });

  test("keeps the order of a resource, and its deliveries wait for the first one", async () => {
    const path = fileOf();
    const deleted = JSON.stringify({ ...bankTransaction(1), deletedAt: "2025-03-04" });
    writeOlderFile(path, version, [
      row("first", 1, { attempts: 1, due_at: NOW + HOUR, ...(!isOldest && { delay_ms: HOUR }) }),
      row("other", 2),
      row("second", 1, { event: DELETED, body: deleted }),
    ]);
    let now = NOW;
    const inbox = open(path, () => now);
    // New deliveries of the resource come after those of the older file.
    await inbox.add(delivery("third", `banktransaction:${uuid(1)}`));
    const lanes = (await inbox.list()).map(({ lane }) => lane);
    expect(lanes).toEqual([1, 2, 1, 1].map((n) => `banktransaction:${uuid(n)}`));
    // The oldest version does not know how long the delay was.
    const due = isOldest ? [["first", "second", "third"], ["other"]] : [["other"]];
    expect((await inbox.take(2, 2 * HOUR)).map(keysOf).toSorted()).toEqual(due);
    now += HOUR;
    const [lease] = await inbox.take(1, MINUTE);
    expect(keysOf(lease)).toEqual(isOldest ? undefined : ["first", "second", "third"]);
  });

  test("with times of a clock that was ahead restarts its delays", async () => {
    const path = fileOf();
    const delay = isOldest ? {} : { delay_ms: MINUTE };
    writeOlderFile(path, version, [row("a", 1, { due_at: wallClock + HOUR, ...delay })]);
    let now = NOW;
    const inbox = open(path, () => now);
    if (!isOldest) expect(await inbox.take(1, MINUTE)).toEqual([]);
    now += isOldest ? 0 : MINUTE;
    expect(await drain(inbox)).toEqual(["a"]);
  });

  test("does not repeat a delivery that was handled before its process ended", async () => {
    const path = fileOf();
    writeOlderFile(
      path,
      version,
      [row("a", 1), row("b", 2), row("c", 3, { due_at: null, reason: "no" })],
      ["a", "c"].map((key) => ({ key, token: null, expires_at: wallClock + HOUR })),
    );
    const inbox = open(path);
    expect((await inbox.list()).map(({ key, state }) => [key, state])).toEqual([
      ["b", "waiting"],
      ["c", "quarantined"],
    ]);
  });

  test("with 5,000 rows in random states loses none", async () => {
    const path = fileOf();
    const states: OlderRow[] = [
      {},
      { attempts: 1, due_at: NOW + 1 },
      { attempts: 3, due_at: wallClock + 5 * HOUR },
      { attempts: 9, due_at: null, reason: "no" },
      { attempts: 2, due_at: 1 },
    ];
    const pick = (n: number) => (n * 2_654_435_761) % 4_294_967_296;
    const rows = Array.from({ length: 5000 }, (_, n) =>
      row(n % 7 === 0 ? null : `key ${n}`, pick(n) % 300, states[pick(n + 1) % states.length]),
    );
    const done = Array.from({ length: 500 }, (_, n) => ({
      key: `done ${n}`,
      expires_at: wallClock + HOUR,
    }));
    writeOlderFile(path, version, rows, done);
    let now = NOW;
    const inbox = open(path, () => now);
    const isQuarantined = (each: OlderRow) => each["due_at"] === null;
    const bodies = (found: readonly { readonly body: unknown }[]) => found.map(({ body }) => body);
    expect(bodies(await inbox.list())).toEqual(bodies(rows as unknown as { body: unknown }[]));
    const { waiting, quarantined } = await inbox.status();
    expect({ waiting, quarantined }).toEqual({
      waiting: rows.filter((each) => !isQuarantined(each)).length,
      quarantined: rows.filter(isQuarantined).length,
    });
    now += 2 * wallClock;
    const keys = await drain(inbox);
    expect(keys.length).toBe(waiting);
    for (const { key } of done) expect(await inbox.add(delivery(key))).toBe("added");
    expect(await inbox.replay({ state: "quarantined" })).toBe(quarantined);
  });
});

test("failures and interruptions of the later version are kept", async () => {
  const path = fileOf();
  writeOlderFile(path, "with counts and delays", [
    row("a", 1, { attempts: 5, failures: 2, interruptions: 3, due_at: NOW - 1, delay_ms: 30_000 }),
  ]);
  const [lease] = await open(path).take(1, MINUTE);
  expect(lease).toMatchObject({ interruptions: 3, deliveries: [{ key: "a", failures: 2 }] });
});

test("a receiver handles the deliveries of an older file and rejects its duplicates", async () => {
  const path = fileOf();
  // The keys of this version are those of 0.1.0.
  const probe = sqliteInbox({ path: ":memory:" });
  const keyOf = createReceiver({ on: {}, inbox: probe, work: false });
  for (let n = 0; n < 3; n += 1) await keyOf(deliver(CREATED, bankTransaction(n)));
  const keys = (await probe.list()).map(({ key }) => key);
  probe.close();
  writeOlderFile(
    path,
    "0.1.0",
    [row(keys[0] ?? "", 0), row(keys[1] ?? "", 1, { due_at: null, reason: "no" })],
    [{ key: keys[2] ?? "", token: null, expires_at: Date.now() + HOUR }],
  );
  const inbox = sqliteInbox({ path });
  const ids: string[] = [];
  const reports: DeliveryReport[] = [];
  const receiver = createReceiver({
    on: { [CREATED]: ({ body }) => void ids.push(body.id) },
    inbox,
    onDelivery: (report) => reports.push(report),
  });
  onFinished(async () => {
    await receiver.close();
    inbox.close();
  });
  for (const n of [0, 1, 2]) {
    expect((await receiver(deliver(CREATED, bankTransaction(n)))).status).toBe(202);
  }
  await vi.waitFor(() => expect(ids.toSorted()).toEqual([0, 1].map((n) => bankTransaction(n).id)));
  expect(reports.filter(({ outcome }) => outcome === "duplicate").length).toBeGreaterThan(0);
});

test("deliveries that an older process stores later are imported by the next start", async () => {
  const path = fileOf();
  const first = open(path);
  await first.add(delivery("new", `banktransaction:${uuid(1)}`));
  writeOlderFile(
    path,
    "0.1.0",
    [row("new", 1), row("late", 1)],
    [{ key: "done", expires_at: Date.now() + HOUR }],
  );
  const second = open(path);
  expect((await second.list()).map(({ key }) => key)).toEqual(["new", "late"]);
  expect(await second.add(delivery("done"))).toBe("added");
  const [lease] = await first.take(2, MINUTE);
  expect(keysOf(lease)).toEqual(["new", "late"]);
  if (lease) await settle(first, handled(lease));
});

test("a migration that fails changes nothing", () => {
  const path = fileOf();
  writeOlderFile(path, "0.1.0", [row("a", 1), row("b", 2)]);
  const database = new DatabaseSync(path);
  // A table of the user has the name of a new one.
  database.exec("CREATE TABLE webhook_handled (id TEXT)");
  expect(() => sqliteInbox({ path })).toThrow(
    expect.objectContaining({
      code: "file",
      message: `${path}: can't be used as a database: table webhook_handled already exists`,
    }),
  );
  const tables = ["sqlite_sequence", "webhook_duplicates", "webhook_handled", "webhook_queue"];
  expect(tablesOf(path).toSorted()).toEqual(tables);
  expect(database.prepare("SELECT count(*) AS count FROM webhook_queue").get()).toEqual({
    count: 2,
  });
  database.exec("DROP TABLE webhook_handled");
  database.close();
  const inbox = sqliteInbox({ path });
  inbox.close();
});

test("a file of a newer version is refused in one line, unchanged", async () => {
  const path = fileOf();
  const inbox = sqliteInbox({ path });
  await inbox.add(delivery("a"));
  inbox.close();
  const database = new DatabaseSync(path);
  database.exec("UPDATE webhook_version SET version = 99");
  expect(() => sqliteInbox({ path })).toThrow(
    expect.objectContaining({
      code: "file",
      message: expect.stringMatching(
        /^.*\.db: can't be used as a database: its tables have version 99, this txfeed knows 1; install .*$/,
      ),
    }),
  );
  expect(database.prepare("SELECT key FROM webhook_delivery").all()).toEqual([{ key: "a" }]);
  expect(database.prepare("SELECT version FROM webhook_version").get()).toEqual({ version: 99 });
  database.close();
});

test("the tables of the user are unchanged", async () => {
  const path = fileOf();
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE account (id TEXT); INSERT INTO account VALUES ('a')");
  database.exec("PRAGMA user_version = 7; PRAGMA application_id = 5");
  const inbox = open(path);
  await inbox.add(delivery("a"));
  const [lease] = await inbox.take(1, MINUTE);
  if (lease) await settle(inbox, retried(lease));
  expect(database.prepare("SELECT id FROM account").all()).toEqual([{ id: "a" }]);
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 7 });
  expect(database.prepare("PRAGMA application_id").get()).toEqual({ application_id: 5 });
  database.close();
});
