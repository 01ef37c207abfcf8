import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { expect, test } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { createReceiver, QuarantineError } from "../../src/webhooks/index.ts";
import { postgresInbox } from "../../src/webhooks/postgres/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { freePort } from "../support/local-server.ts";
import { onFinished } from "../support/on-finished.ts";
import { deliver } from "../support/payloads.ts";
import { describePostgres } from "../support/postgres.ts";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { fill } from "./queue-calls.ts";

const queueOn =
  (target: string, env: NodeJS.ProcessEnv = {}) =>
  (...args: string[]) =>
    run("bin/txfeed.ts", ["queue", ...args], { TXFEED_INBOX: target, ...env });

/** Runs every verb on an inbox with the deliveries of `fill`. */
async function operate(queue: ReturnType<typeof queueOn>, ids: readonly number[]) {
  expect(await queue("status", "--check")).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("✗ 2 deliveries are in quarantine"),
    stderr: "",
  });
  const [first = 0, second = 0] = ids;
  const shown = await queue("show", String(first), "--format", "json");
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: first, key: "key 1", reason: "no money" });
  const replayed = await queue("replay", "--state", "quarantined", "--before", "2025-03-04T12:02");
  expect(replayed).toMatchObject({ status: 0, stdout: expect.stringContaining("1 delivery") });
  expect(await queue("drop", String(second))).toMatchObject({ status: 0 });
  const list = await queue("list", "--format", "json");
  const listed = list.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(listed.map(({ id }) => id)).toEqual(ids.filter((id) => id !== second));
  expect(new Set(listed.map(({ state }) => state))).toEqual(new Set(["waiting"]));
}

test("quarantine that can be operated", async () => {
  const path = join(tempDir(), "feed.db");
  const queue = queueOn(path);
  const inbox = sqliteInbox({ path });
  let isFixed = false;
  const handled: unknown[] = [];
  const receiver = createReceiver({
    inbox,
    on: {
      "transaction.updated": async ({ body }, { attempt }) => {
        if (!isFixed) throw new QuarantineError("the account is unknown");
        handled.push([body.id, attempt]);
      },
    },
    work: { pollMs: 10 },
  });
  onFinished(async () => {
    await receiver.close();
    inbox.close();
  });
  const event = make("transaction.updated");
  expect((await receiver(deliver("transaction.updated", event))).status).toBe(202);
  await expect.poll(async () => (await inbox.status()).quarantined).toBe(1);

  const { stdout } = await queue("list", "--state", "quarantined", "--format", "json");
  const { id, reason } = JSON.parse(stdout);
  expect(reason).toBe("the account is unknown");
  const shown = await queue("show", String(id));
  expect(shown.stdout).toContain(`\n  lane         transactions:${event.id}\n`);
  expect(shown.stdout).toContain(`\n    "id": "${event.id}",\n`);

  isFixed = true;
  const trial = await queue("replay", String(id), "--dry-run");
  expect(trial.stdout).toContain("replay would change 1 delivery; nothing was changed");
  expect(await inbox.status()).toMatchObject({ quarantined: 1, waiting: 0 });
  expect(handled).toEqual([]);

  expect(await queue("replay", String(id))).toMatchObject({ status: 0, stderr: "" });
  await expect.poll(() => handled).toEqual([[event.id, 1]]);
  await expect.poll(() => inbox.status()).toMatchObject({ quarantined: 0, waiting: 0 });
  const gone = await queue("show", String(id));
  const stderr = `txfeed: there is no delivery ${id}: handled, dropped, or never stored\n`;
  expect(gone).toEqual({ status: 1, stdout: "", stderr });
});

test("txfeed queue operates a SQLite file that another process has open", async () => {
  const path = join(tempDir(), "feed.db");
  const inbox = sqliteInbox({ path });
  onFinished(() => inbox.close());
  const queue = queueOn("none.db");
  await operate((...args) => queue("--inbox", path, ...args), await fill(inbox));
});

/** Expects one line on the standard error. */
async function expectRefusal(target: string, status: number, message: string, ...args: string[]) {
  const refused = await queueOn(target)("status", ...args);
  expect(refused).toMatchObject({ status, stdout: "" });
  expect(refused.stderr).toContain(message);
  expect(refused.stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(refused.stderr).not.toContain("secret");
}

test("txfeed queue creates no file and no tables", async () => {
  const dir = tempDir();
  const missing = join(dir, "none.db");
  await expectRefusal(missing, 2, `${missing} does not exist`);
  expect(existsSync(missing)).toBe(false);
  const other = join(dir, "other.db");
  const database = new DatabaseSync(other);
  onFinished(() => database.close());
  database.exec("CREATE TABLE own (id INTEGER)");
  await expectRefusal(other, 2, `${other} has no inbox of this version; a receiver creates`);
  expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([{ name: "own" }]);
  const folder = join(dir, "folder");
  mkdirSync(folder);
  await expectRefusal(folder, 2, `${folder} is a folder; write pglite:${folder} for PGlite`);
  await expectRefusal(`pglite:${folder}`, 2, `${folder} is not a folder of PGlite`);
  const text = join(dir, "text");
  writeFileSync(text, "no database, but longer than the header of one".repeat(99));
  await expectRefusal(text, 2, "can't be used as a database: file is not a database");
});

test("txfeed queue refuses other targets without printing their password", async () => {
  await expectRefusal("", 2, "--inbox or TXFEED_INBOX is missing");
  await expectRefusal("mysql://u:secret@h/d", 2, 'postgres:// or pglite:, not "mysql://"');
  await expectRefusal("postgres://u:sec ret@h:x/secret", 2, "the URL of Postgres can't be parsed");
  await expectRefusal("feed.db", 2, "--schema is for Postgres and PGlite", "--schema", "x");
});

test("an unreachable database is one line and exit 3", async () => {
  const port = await freePort();
  const place = `postgres://127.0.0.1:${port}/feed`;
  const url = `postgres://user:secret@127.0.0.1:${port}/feed?password=secret`;
  await expectRefusal(url, 3, `can't reach ${place}: connect ECONNREFUSED 127.0.0.1:${port}`);
});

/** Code that hides packages from programs that load it. */
const hiding = (...names: string[]) => {
  const code = `import M from "node:module"; const r = M._resolveFilename;
    M._resolveFilename = function (name, ...rest) {
      if (${JSON.stringify(names)}.includes(name)) throw new Error(name);
      return r.call(this, name, ...rest);
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
};

test("a missing driver is one line and exit 2", async () => {
  const queue = queueOn("postgres://u:secret@127.0.0.1:1/feed", hiding("pg"));
  const stderr = "txfeed: this inbox needs the package pg: npm install pg\n";
  expect(await queue("status")).toEqual({ status: 2, stdout: "", stderr });
});

test("txfeed queue operates an inbox in a folder of PGlite", async () => {
  const folder = join(tempDir(), "pglite");
  const client = new PGlite(folder);
  await client.query("SELECT 1");
  const target = `pglite:${folder}`;
  await expectRefusal(target, 2, `${folder} is open in another program; stop it, or delete`);
  const inbox = postgresInbox({ client });
  const ids = await fill(inbox);
  await inbox.close();
  await client.close();
  const queue = queueOn(target);
  expect(await queue("drop", `${ids[0]}`, `${ids[2]}`)).toMatchObject({ status: 0, stderr: "" });
  const { stdout } = await queue("status", "--format", "json");
  expect(JSON.parse(stdout)).toMatchObject({ waiting: 2, quarantined: 1 });
});

describePostgres("txfeed queue on Postgres", (server) => {
  /** A database with the deliveries of `fill`. */
  async function filled(schema: string) {
    const url = await server.createDatabase();
    const client = new pg.Pool({ connectionString: url });
    onFinished(() => client.end());
    const inbox = postgresInbox({ client, schema });
    const ids = await fill(inbox);
    await inbox.close();
    return { url, client, ids };
  }

  test("operates an inbox", async () => {
    const { url, ids } = await filled("txfeed");
    await operate(queueOn(url), ids);
  });

  test("operates an inbox in another schema, and creates none", async () => {
    const { url, client, ids } = await filled('my "inbox"');
    const place = url.replace("postgres@", "");
    await expectRefusal(url, 2, `${place}: the schema txfeed has no inbox of this version`);
    const { rows } = await client.query("SELECT to_regnamespace('txfeed') AS name");
    expect(rows).toEqual([{ name: null }]);
    const queue = queueOn(url);
    await operate((...args) => queue(...args, "--schema", 'my "inbox"'), ids);
  });

  test("a refused connection is one line and exit 3", async () => {
    const url = new URL(await server.createDatabase());
    url.password = "secret";
    url.pathname = "/nowhere";
    const refused = await queueOn(url.href)("status");
    const reason = 'database "nowhere" does not exist';
    const stderr = `txfeed: can't reach postgres://${url.host}/nowhere: ${reason}\n`;
    expect(refused).toEqual({ status: 3, stdout: "", stderr });
  });
});
