import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/node-postgres";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import postgres from "postgres";
import { expect, test } from "vitest";
import { type PostgresClient, postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { startWorker } from "../../../src/webhooks/worker.ts";
import { blocksOf } from "../../docs/pages.ts";
import { ROOT } from "../../document.ts";
import { createProjects } from "../../support/installed-package.ts";
import { onFinished } from "../../support/on-finished.ts";
import { describePostgres } from "../../support/postgres.ts";
import { startNode } from "../../support/program.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { addAll, delivery } from "../inbox/store.ts";
import { inboxOf, openDatabase, poolOf, roleOf, soon } from "./open.ts";

const message = (text: string | RegExp) =>
  expect.objectContaining({
    code: "usage",
    message: typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
  });

const EXPECTED = "postgresInbox: client must be a Pool of pg, or PGlite; ";

test.each<[string, () => unknown, string]>([
  ["pg.Client", () => new pg.Client(), "this is one connection"],
  ["drizzle(pool)", () => drizzle(new pg.Pool()), "pass the $client of this Drizzle database"],
  ["drizzle(new pg.Client())", () => drizzle(new pg.Client()), "this is one connection"],
  [
    "Kysely",
    () => new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) }),
    "pass the Pool that the dialect of Kysely was created with",
  ],
  ["postgres()", () => postgres(), "the package postgres ends the process"],
  ["an address", () => "postgres://127.0.0.1/test", "create one by new pg.Pool("],
  ["undefined", () => undefined, "create one by new pg.Pool("],
])("%s is refused with the client to pass", (_, create, advice) => {
  const client = create() as PostgresClient;
  expect(() => postgresInbox({ client })).toThrow(message(EXPECTED + advice));
});

test.each([
  // [connections, maxTransactions, connections that are needed or transactions that run]
  [1, undefined, "needs 2"],
  [1, 1, "needs 2"],
  [2, 2, "needs 3"],
  [4, 3, "needs 5"],
  [10, 8, "needs 11"],
  [2, undefined, 1],
  [3, undefined, 2],
  [4, undefined, 2],
  [6, undefined, 4],
  [7, undefined, 4],
  [5, 2, 2],
  [10, undefined, 7],
  [undefined, undefined, 7],
] as const)("a pool of %s for %s transactions: %s", (max, maxTransactions, expected) => {
  const client = new pg.Pool(max && { max });
  const create = () => postgresInbox({ client, ...(maxTransactions && { maxTransactions }) });
  if (typeof expected === "number") expect(create().maxTransactions).toBe(expected);
  else {
    const count = expected.slice(6);
    expect(create).toThrow(
      message(`at least ${count} connections (max: ${count}); got max: ${max}`),
    );
  }
});

test("a fatal error in the packet that completes the handshake does not end the process", async () => {
  const part = (type: string, content: string) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(content.length + 4);
    return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
  };
  // AuthenticationOk, ReadyForQuery and a fatal error, in one packet.
  const fatal = part("E", "SFATAL\0C57P01\0Mterminated\0\0");
  const greeting = Buffer.concat([part("R", "\0\0\0\0"), part("Z", "I"), fatal]);
  const server = createServer((socket) => {
    socket.on("error", () => undefined).once("data", () => socket.end(greeting));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onFinished(() => server.close());
  const { port } = server.address() as { readonly port: number };
  const inbox = inboxOf(`postgres://postgres@127.0.0.1:${port}/test`, { max: 2 });
  await expect(inbox.status()).rejects.toMatchObject({ code: "unreachable" });
});

test("a connection that fails while the pool ends does not end the process", async () => {
  const client = new pg.Pool({ max: 2 });
  for (let n = 0; n < 2; n += 1) await postgresInbox({ client }).close();
  expect(client.listenerCount("error")).toBe(1);
});

describePostgres("a client of postgresInbox", (server) => {
  test("that is checked out of a pool is refused", async () => {
    const client = await poolOf(await server.createDatabase()).connect();
    onFinished(() => client.release());
    const create = () => postgresInbox({ client: client as unknown as pg.Pool });
    expect(create).toThrow(message(`${EXPECTED}this is one connection`));
  });

  test("with a pool of 2 renews the lease of a long handler, without a warning", async () => {
    const { url, effects } = await openDatabase(server);
    const warnings: unknown[] = [];
    const warn = (warning: unknown) => warnings.push(warning);
    process.on("warning", warn);
    onFinished(() => process.off("warning", warn));
    const inbox = inboxOf(url, { max: 2 });
    const attempts: number[] = [];
    const worker = startWorker(
      inbox,
      {
        async handle({ delivery: { key }, number, tx }) {
          attempts.push(number);
          // Overlapping statements, and a pause of more than a lease.
          await Promise.all([
            tx.query("SELECT pg_sleep(2)"),
            new Promise((end) => setTimeout(end, 3500)),
          ]);
          await tx.query("INSERT INTO effect VALUES ($1)", [key]);
          return { outcome: "handled" };
        },
        report: ({ error }) => expect(error).toBeUndefined(),
        interrupted: () => expect.unreachable(),
      },
      { leaseMs: 1000, pollMs: 100 },
    );
    onFinished(() => worker.close(0));
    await addAll(inbox, [delivery("a"), delivery("b")]);
    await soon(async () => expect(await effects()).toEqual(["a", "b"]), 15_000);
    await soon(async () => expect(await inbox.status()).toMatchObject({ waiting: 0 }));
    expect(attempts).toEqual([1, 1]);
    expect(warnings).toEqual([]);
  });

  test("that gets errors outside of statements does not end the process, or lose connections", async () => {
    const { url, own, effects } = await openDatabase(server);
    const program = `
      import pg from "pg";
      import { postgresInbox } from ${JSON.stringify(join(ROOT, "src/webhooks/postgres/index.ts"))};
      const client = new pg.Pool({ connectionString: ${JSON.stringify(url)}, max: 2 });
      const inbox = postgresInbox({ client });
      await inbox.migrate();
      // The connections of the inbox and of a transaction are idle when they are cut.
      const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        + "WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle%'";
      for (let n = 0; n < 5; n += 1) {
        const own = new pg.Client(${JSON.stringify(url)});
        await own.connect();
        const cutting = inbox.transaction(5000, async (runPart) => {
          await own.query(cut);
          await new Promise((resolve) => setTimeout(resolve, 100));
          return [];
        });
        console.log(await cutting.catch(({ code }) => code));
        await own.end();
      }
      await inbox.transaction(5000, async (runPart) => {
        await runPart((tx) => tx.query("INSERT INTO effect VALUES ('done')"));
        return [];
      });
      const leaked = await client.query("SELECT FROM pg_stat_activity "
        + "WHERE datname = current_database() AND state LIKE 'idle in%'");
      console.log(leaked.rowCount);
      await inbox.close();
      await client.end();`;
    const { status, stdout, stderr } = await startNode(["--input-type=module", "-e", program], {
      cwd: ROOT,
    }).ended;
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `${"unreachable\n".repeat(5)}0\n`,
      stderr: "",
    });
    expect(await effects()).toEqual(["done"]);
    expect(
      (await own.query("SELECT FROM pg_stat_activity WHERE state LIKE 'idle in%'")).rowCount,
    ).toBe(0);
  });

  test("whose BEGIN fails loses no connection", async () => {
    const { url, own } = await openDatabase(server);
    await inboxOf(url).migrate();
    // The first statement of a transaction fails without this right.
    await own.query("REVOKE EXECUTE ON FUNCTION pg_advisory_xact_lock_shared(bigint) FROM PUBLIC");
    const rights =
      "GRANT ALL ON SCHEMA txfeed TO app; GRANT ALL ON ALL TABLES IN SCHEMA txfeed TO app";
    const poor = inboxOf(await roleOf(own, url, rights), { max: 2 });
    for (let n = 0; n < 5; n += 1) {
      await expect(poor.transaction(1000, async () => [])).rejects.toThrow("permission denied");
    }
    await own.query("GRANT EXECUTE ON FUNCTION pg_advisory_xact_lock_shared(bigint) TO PUBLIC");
    await poor.transaction(1000, async () => []);
  });

  test.each(["drizzle.ts", "kysely.ts"])("may be used by %s of the guide", async (file) => {
    const { url, own } = await openDatabase(server);
    await own.query("CREATE TABLE ledger (id text, amount text)");
    const dir = tempDir();
    await createProjects(dir, ["fleet"]);
    const recipe = blocksOf("docs/fleet.md").find((block) => block.file === file);
    await writeFile(join(dir, "fleet", file), recipe?.code ?? "");
    const program = `
      import { make } from "txfeed/fixtures";
      import { client, inbox, receiver } from "./${file}";
      const headers = {
        "content-type": "application/json", "webhook-event-type": "transaction.updated",
      };
      const body = JSON.stringify(make("transaction.updated"));
      const request = new Request("https://shop.example/", { method: "POST", headers, body });
      console.log((await receiver(request)).status);
      while ((await inbox.status()).waiting > 0) await new Promise((end) => setTimeout(end, 20));
      await receiver.close();
      await inbox.close();
      await client.end();`;
    const args = ["--input-type=module", "-e", program];
    const options = { cwd: join(dir, "fleet"), env: { DATABASE_URL: url } };
    const { status, stdout, stderr } = await startNode(args, options).ended;
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "202\n", stderr: "" });
    expect((await own.query("SELECT amount FROM ledger")).rows).toEqual([{ amount: "591.91" }]);
  });
});

test("PGlite needs no pool", () => {
  expect(postgresInbox({ client: new PGlite() }).maxTransactions).toBe(1);
});
