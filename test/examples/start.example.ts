import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { ROOT } from "../document.ts";
import { freePort } from "../support/local-server.ts";
import { describePostgres } from "../support/postgres.ts";
import { type Program, start, startNode } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const EXPRESS = join(ROOT, "examples/receiver-express");
const FLEET = join(ROOT, "examples/fleet-postgres");

/** A program, and the folder of its temporary files. */
interface Run {
  readonly program: Program;
  readonly temp: string;
}

/** Runs `npm start`, or a file of the example. */
function startExample(cwd: string, file?: string, env: NodeJS.ProcessEnv = {}): Run {
  const temp = tempDir();
  // PostgreSQL runs as a user of its own.
  chmodSync(temp, 0o755);
  const options = { cwd, env: { DATABASE_URL: "", TMPDIR: temp, ...env } };
  const program = file ? startNode([file], options) : start("npm", ["start"], options);
  return { program, temp };
}

/** Temporary files and processes that a run has left, which is none. */
async function leftOf({ program, temp }: Run): Promise<string[]> {
  await program.ended;
  const processes = readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`TMPDIR=${temp}\0`);
    } catch {
      return false;
    }
  });
  const npmCache = /^(node-compile-cache|npm-)/;
  return [...processes, ...readdirSync(temp).filter((name) => !npmCache.test(name))];
}

/** The lines of an output that match. */
const linesOf = (output: string, pattern: RegExp) =>
  output.split("\n").filter((line) => pattern.test(line));

describe("receiver-express", () => {
  test("npm start stores a purchase until it is settled", { timeout: 300_000 }, async () => {
    const run = startExample(EXPRESS);
    const { status, stdout } = await run.program.ended;
    expect(stdout).toMatch(/✓ the settled transaction is stored, once\n$/);
    expect(status).toBe(0);
    expect(linesOf(stdout, /transaction\.\w+ handled/)).toEqual([
      "  transaction.created handled",
      "  transaction.updated handled",
      "  transaction.updated handled",
    ]);
    const stored = linesOf(stdout, / stored$/).length;
    expect(linesOf(stdout, / duplicate$/).length).toBe(stored);
    expect(await leftOf(run)).toEqual([]);
  });

  test("Ctrl-C ends it", async () => {
    const run = startExample(EXPRESS, "demo.ts");
    await run.program.until(/stored/);
    expect(await run.program.stop("SIGINT")).toBe(1);
    expect(run.program.output.stdout).toMatch(/✗ stopped or not stored\n$/);
    expect(await leftOf(run)).toEqual([]);
  });

  test("the receiver fetches a transaction whose order is undecidable", async () => {
    await using sandbox = await createSandbox({ clock: "frozen" });
    const { result } = await sandbox.trigger("purchase");
    await sandbox.trigger("bank-post");
    const [last] = (await sandbox.events({ name: "transaction.updated" })).slice(-1);
    const latest = last?.body as { readonly id: string };
    expect(latest.id).toBe(result.transactionId);
    const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
    const database = join(tempDir(), "feed.db");
    const run = startExample(EXPRESS, "receiver.ts", {
      ...{ PORT: "0", DATABASE: database, WEBHOOK_SECRET: SECRET },
      ...{ TXFEED_BASE_URL: sandbox.baseUrl, TXFEED_ACCOUNT_ID: accountId },
      ...{ TXFEED_CLIENT_ID: clientId, TXFEED_CLIENT_SECRET: clientSecret },
    });
    const [, port] = await run.program.until(/listening on port (\d+)/);
    // The same time and messages, and another text.
    for (const descriptor of ["ONE", "ANOTHER"]) {
      expect(await deliver(Number(port), { ...latest, descriptor })).toBe(202);
    }
    await run.program.until(/failed Error: \S+ has to be fetched[\s\S]*handled/);
    expect(await run.program.stop("SIGTERM")).toBe(0);
    expect(storedIn(database)).toEqual([latest]);
  });

  test("the receiver refuses a wrong signature and reports its health", async () => {
    const database = join(tempDir(), "feed.db");
    const env = { PORT: "0", DATABASE: database, WEBHOOK_SECRET: SECRET };
    const { program } = startExample(EXPRESS, "receiver.ts", {
      ...{ ...env, TXFEED_BASE_URL: "https://feed.example", TXFEED_ACCOUNT_ID: "any" },
      ...{ TXFEED_CLIENT_ID: "any", TXFEED_CLIENT_SECRET: "any" },
    });
    const [, port] = await program.until(/listening on port (\d+)/);
    const wrong = `whsec_${btoa("the secret of somebody else")}`;
    expect(await deliver(Number(port), make("transaction.updated"), wrong)).toBe(401);
    await program.until(/unverified .+/);
    const health = await fetch(`http://127.0.0.1:${port}/healthz`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ ok: true, inbox: { waiting: 0 } });
    expect(await program.stop("SIGTERM")).toBe(0);
    expect(storedIn(database)).toEqual([]);
  });
});

describePostgres("fleet-postgres", (server) => {
  test("npm start keeps the ledger, on a server of its own", { timeout: 300_000 }, async () => {
    const run = startExample(FLEET);
    const { status, stdout } = await run.program.ended;
    expect(stdout).toMatch(/ledger: 150 entries, balance 2500\n✓ each event took effect once/);
    expect(status).toBe(0);
    // One worker was killed.
    expect(linesOf(stdout, /^worker /).length).toBe(1);
    const receivers = linesOf(
      stdout,
      /^receiver \d+: \{ stored: [1-9]\d*, duplicate: [1-9]\d* \}$/,
    );
    expect(receivers.length).toBe(2);
    expect(await leftOf(run)).toEqual([]);
  });

  test("it uses the server of DATABASE_URL, and drops its database", async () => {
    const url = await server.createDatabase();
    const run = startExample(FLEET, "demo.ts", { DATABASE_URL: url });
    const { status, stdout } = await run.program.ended;
    expect(stdout).toMatch(/✓ each event took effect once, in order\n$/);
    expect(status).toBe(0);
    expect(await databasesOf(url)).not.toContain("fleet_example");
    expect(await leftOf(run)).toEqual([]);
  });

  test("Ctrl-C ends it", async () => {
    const url = await server.createDatabase();
    const run = startExample(FLEET, "demo.ts", { DATABASE_URL: url });
    while (!(await databasesOf(url)).includes("fleet_example")) await sleep(20);
    expect(await run.program.stop("SIGINT")).toBe(1);
    expect(run.program.output.stdout).toMatch(/✗ stopped, or wrong\n$/);
    expect(await databasesOf(url)).not.toContain("fleet_example");
    expect(await leftOf(run)).toEqual([]);
  });
});

test("fleet-postgres names the cause if DATABASE_URL can't be used", async () => {
  const url = `postgres://127.0.0.1:${await freePort()}/any`;
  const run = startExample(FLEET, "demo.ts", { DATABASE_URL: url });
  const { status, stderr } = await run.program.ended;
  expect(stderr).toMatch(/^DATABASE_URL can't be used: ECONNREFUSED, .*\n$/);
  expect(status).toBe(2);
});

test("the examples compile", () => {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", join(ROOT, "examples")];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

test.each([EXPRESS, FLEET])("%s has less than 150 lines", (folder) => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  expect(lines.length - files.length).toBeLessThan(150);
});

const SECRET = `whsec_${btoa("the secret of a test")}`;

/** Sends a signed transaction.updated. Returns the status of the response. */
async function deliver(port: number, body: unknown, secret = SECRET): Promise<number> {
  const text = JSON.stringify(body);
  const id = crypto.randomUUID();
  const now = new Date();
  const { status } = await fetch(`http://127.0.0.1:${port}/webhooks`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-event-type": "transaction.updated",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(id, now, text),
    },
    body: text,
  });
  return status;
}

/** The bodies of the stored transactions. */
function storedIn(path: string): unknown[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare("SELECT event FROM card_transaction").all();
  database.close();
  return rows.map(({ event }) => JSON.parse(String(event)).body);
}

async function databasesOf(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query("SELECT datname FROM pg_database");
  await client.end();
  return rows.map(({ datname }) => datname);
}
