import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { ROOT } from "../../document.ts";
import { onFinished } from "../../support/on-finished.ts";
import { describePostgres } from "../../support/postgres.ts";

const MINUTE = 60_000;

const delivery = (key: string) => ({
  key,
  lane: "lane",
  event: "transaction.updated",
  body: "{}",
  headers: {},
  deliveryId: null,
  receivedAt: "2025-03-04T12:30:16.120Z",
});

describePostgres("upgrades that keep the tables: postgresInbox", (server) => {
  async function connect() {
    const url = await server.createDatabase();
    const pool = new pg.Pool({ connectionString: url });
    onFinished(() => pool.end());
    return { url, pool };
  }

  test("8 processes that start at the same time create them once and lose nothing", async () => {
    const { url, pool } = await connect();
    const program = `
      import pg from "pg";
      import { postgresInbox } from ${JSON.stringify(join(ROOT, "src/webhooks/postgres/index.ts"))};
      const pool = new pg.Pool({ connectionString: ${JSON.stringify(url)} });
      process.stdout.write("ready");
      process.stdin.once("data", async () => {
        const inbox = postgresInbox({ client: pool });
        await inbox.add({ ...${JSON.stringify(delivery(""))}, key: process.argv[1] });
        await pool.end();
        process.exit(0);
      });`;
    const processes = Array.from({ length: 8 }, (_, index) => {
      const args = ["--input-type=module", "-e", program, `key ${index}`];
      const child = spawn(process.execPath, args, {
        cwd: ROOT,
        stdio: ["pipe", "pipe", "inherit"],
      });
      onFinished(() => child.kill("SIGKILL"));
      return child;
    });
    await Promise.all(processes.map((child) => once(child.stdout, "data")));
    const ends = Promise.all(processes.map((child) => once(child, "exit")));
    for (const child of processes) child.stdin.write("go");
    expect((await ends).map(([status]) => status)).toEqual(processes.map(() => 0));
    expect((await pool.query("SELECT version FROM txfeed.migration")).rows).toEqual([
      { version: 1 },
    ]);
    expect(await postgresInbox({ client: pool }).list()).toHaveLength(8);
  });

  test("8 pools that start at the same time create them once", async () => {
    const { url, pool } = await connect();
    const inboxes = Array.from({ length: 8 }, () => {
      const client = new pg.Pool({ connectionString: url, max: 3 });
      onFinished(() => client.end());
      return postgresInbox({ client });
    });
    const results = await Promise.all(inboxes.map((inbox, n) => inbox.add(delivery(`key ${n}`))));
    expect(results).toEqual(inboxes.map(() => "added"));
    expect((await pool.query("SELECT version FROM txfeed.migration")).rows).toEqual([
      { version: 1 },
    ]);
  });

  test.each([1])("version %s with rows migrates and loses nothing", async (version) => {
    const { pool } = await connect();
    const file = join(import.meta.dirname, "released", `${version}.sql`);
    const client = await pool.connect();
    await client.query(readFileSync(file, "utf8"));
    client.release(true);
    const inbox = postgresInbox({ client: pool });
    await inbox.migrate();

    const found = await inbox.list();
    expect(found.map(({ key, lane, state }) => [key, lane, state])).toEqual([
      ["quarantined", "one", "quarantined"],
      ["delayed", "one", "waiting"],
      ["first", "two", "waiting"],
      ["second", "two", "waiting"],
      [null, null, "waiting"],
      ["leased", "three", "waiting"],
    ]);
    expect(found[0]).toMatchObject({ failures: 3, reason: "broken", body: '{"a":"é"}' });
    expect(found[1]).toMatchObject({ headers: { "webhook-id": "msg_1" }, deliveryId: "msg_1" });
    expect(await inbox.add(delivery("handled"))).toBe("handled");
    expect(await inbox.add(delivery("quarantined"))).toBe("replayed");
    expect(await inbox.add(delivery("first"))).toBe("waiting");
    const leases = await inbox.take(10, MINUTE);
    const keys = leases.map(({ deliveries }) => deliveries.map(({ key }) => key));
    expect(keys.toSorted()).toEqual([
      [null],
      ["first", "second"],
      ["leased"],
      ["quarantined", "delayed"],
    ]);
    const interrupted = leases.find(({ interruptions }) => interruptions > 0);
    expect(interrupted?.deliveries.map(({ key }) => key)).toEqual(["leased"]);
  });

  test("the fixture of the latest version has the tables and functions of the code", async () => {
    const [fixture, code] = [await connect(), await connect()];
    const file = join(import.meta.dirname, "released", "1.sql");
    const client = await fixture.pool.connect();
    await client.query(readFileSync(file, "utf8"));
    client.release(true);
    await postgresInbox({ client: code.pool }).migrate();
    const columns = `SELECT table_name, column_name, data_type, is_nullable
      FROM information_schema.columns WHERE table_schema = 'txfeed' ORDER BY 1, 2`;
    const functions = `SELECT proname, prosrc, proconfig, pg_get_function_arguments(oid)
      FROM pg_proc WHERE pronamespace = 'txfeed'::regnamespace ORDER BY 1`;
    const indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'txfeed' ORDER BY 1";
    for (const statement of [columns, functions, indexes]) {
      const expected = (await code.pool.query(statement)).rows;
      expect((await fixture.pool.query(statement)).rows).toEqual(expected);
      expect(expected.length).toBeGreaterThan(5);
    }
  });

  test("tables of a later version are refused in one line", async () => {
    const { pool } = await connect();
    await postgresInbox({ client: pool }).migrate();
    await pool.query("INSERT INTO txfeed.migration (version) VALUES (2)");
    const inbox = postgresInbox({ client: pool });
    const message =
      'postgresInbox: the schema "txfeed" has version 2, and this release of txfeed supports up ' +
      "to 1; update txfeed";
    await expect(inbox.add(delivery("a"))).rejects.toMatchObject({ code: "usage", message });
    await expect(inbox.migrate()).rejects.toMatchObject({ code: "usage", message });
  });

  test("a role that may not create schemas uses one that exists", async () => {
    const { url, pool } = await connect();
    await pool.query(`CREATE ROLE reader LOGIN; CREATE SCHEMA own AUTHORIZATION reader`);
    const client = new pg.Pool({ connectionString: url.replace("postgres@", "reader@") });
    onFinished(async () => {
      await client.end();
      await pool.query("DROP OWNED BY reader CASCADE; DROP ROLE reader");
    });
    expect(await postgresInbox({ client, schema: "own" }).add(delivery("a"))).toBe("added");
    await expect(postgresInbox({ client, schema: "other" }).add(delivery("a"))).rejects.toThrow(
      "permission denied",
    );
  });

  test("inboxes in different schemas of a database are independent", async () => {
    const { pool } = await connect();
    // Nothing depends on the search path.
    const client = new pg.Pool({ ...pool.options, options: "-c search_path=nowhere" });
    onFinished(() => client.end());
    const [one, other] = ['Üml\'aut "x"', "other"].map((schema) =>
      postgresInbox({ client, schema }),
    );
    expect(await one?.add(delivery("a"))).toBe("added");
    expect(await other?.add(delivery("a"))).toBe("added");
    const result = one?.once({ key: "b", lane: "b" }, async () => {
      expect(await other?.once({ key: "b", lane: "b" }, async () => {})).toBe("handled");
    });
    expect(await result).toBe("handled");
  });
});
