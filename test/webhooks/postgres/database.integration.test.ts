import { join } from "node:path";
import { expect, test } from "vitest";
import { createReceiver } from "../../../src/webhooks/index.ts";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { ROOT } from "../../document.ts";
import { onFinished } from "../../support/on-finished.ts";
import { bankTransaction, deliver } from "../../support/payloads.ts";
import { startPgBouncer, usesPgBouncer } from "../../support/pgbouncer.ts";
import { describePostgres } from "../../support/postgres.ts";
import { startNode } from "../../support/program.ts";
import { delivery, drain, MINUTE, quarantined, settle, takeOne } from "../inbox/store.ts";
import {
  commitRuns,
  delayCommits,
  inboxOf,
  openDatabase,
  poolOf,
  roleOf,
  soon,
  type TestInbox,
} from "./open.ts";

const NAME = "banktransaction.created";
const request = (n: number) => deliver(NAME, bankTransaction(n));

describePostgres("the settings of a database", (server) => {
  /** A receiver whose handler writes the attempt. */
  function receiverOf(inbox: TestInbox, change?: string) {
    const receiver = createReceiver({
      on: {
        async [NAME]({ body }, { tx, attempt }) {
          if (change !== undefined && attempt === 1) await tx.query(change);
          await tx.query("INSERT INTO effect VALUES ($1)", [`${body.id.slice(-1)} ${attempt}`]);
        },
      },
      inbox,
      work: { pollMs: 100, leaseMs: 2000 },
    });
    onFinished(() => receiver.close({ graceMs: 0 }));
    return receiver;
  }

  test("that is read-only refuses receipts, shows in health, and counts no failure", async () => {
    const { url, own, effects } = await openDatabase(server);
    const inbox = inboxOf(url);
    const receiver = receiverOf(inbox);
    expect((await receiver(request(1))).status).toBe(202);
    await soon(async () => expect(await effects()).toEqual(["1 1"]));
    const set = async (value: string) => {
      await own.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await own.query("SELECT pg_reload_conf()");
    };
    await set("on");
    onFinished(() => set("off"));
    await soon(async () => expect((await receiver(request(2))).status).toBe(500));
    expect(await receiver.health()).toMatchObject({
      ok: false,
      problems: ["deliveries can't be stored: cannot execute INSERT in a read-only transaction"],
    });
    await set("off");
    await soon(async () => expect((await receiver(request(2))).status).toBe(202));
    await soon(async () =>
      expect(await receiver.health()).toMatchObject({ ok: true, problems: [] }),
    );
    await soon(async () => expect(await effects()).toEqual(["1 1", "2 1"]));
  });

  test("that becomes read-only in a handler counts no failure", async () => {
    const { url, effects } = await openDatabase(server);
    const inbox = inboxOf(url);
    const receiver = receiverOf(inbox, "SET transaction_read_only = on");
    expect((await receiver(request(1))).status).toBe(202);
    await soon(async () => {
      const reason = "cannot execute INSERT in a read-only transaction";
      expect(await inbox.list()).toMatchObject([{ failures: 0, reason }]);
    });
    await soon(async () => expect(await effects()).toEqual(["1 2"]));
  });

  test("whose isolation level is repeatable read lets a delivery take effect once", async () => {
    const { url, own, effects } = await openDatabase(server);
    const database = new URL(url).pathname.slice(1);
    await own.query(
      `ALTER DATABASE ${database} SET default_transaction_isolation = 'repeatable read'`,
    );
    await delayCommits(own);
    const inbox = inboxOf(url);
    await inbox.migrate();
    const directly = receiverOf(inbox);
    const { promise: isCommitting, resolve: commit } = Promise.withResolvers<void>();
    const handling = createReceiver({
      on: {
        async [NAME](_, { tx }) {
          await tx.query("INSERT INTO effect VALUES ('1 1')");
          commit();
        },
      },
      inbox,
      acknowledge: "handled",
    })(request(1));
    await isCommitting;
    await commitRuns(own);
    expect((await directly(request(1))).status).toBe(202);
    expect((await handling).status).toBe(204);
    await soon(async () => expect(await inbox.status()).toMatchObject({ waiting: 0 }));
    expect(await effects()).toEqual(["1 1"]);
  });

  test.skipIf(!usesPgBouncer)("may be reached through PgBouncer in transaction mode", async () => {
    const { url, effects } = await openDatabase(server);
    const inbox = inboxOf(await startPgBouncer(url));
    const receiver = receiverOf(inbox);
    for (const status of [202, 202]) expect((await receiver(request(1))).status).toBe(status);
    await soon(async () => expect(await effects()).toEqual(["1 1"]));
    expect(await receiver.health()).toMatchObject({
      ok: true,
      problems: [],
      inbox: { waiting: 0 },
    });
    await receiver.close();

    await inbox.add(delivery("a €", "lane"));
    const lease = await takeOne(inbox);
    await settle(inbox, quarantined(lease));
    expect(await inbox.list()).toMatchObject([{ key: "a €", state: "quarantined" }]);
    expect(await inbox.replay({})).toBe(1);
    expect(await inbox.once(delivery("b"), 1000, async () => undefined)).toBe("handled");
    expect(await drain(inbox)).toEqual(["a €"]);
  });

  test("with another encoding than UTF-8 is refused in one line", async () => {
    const { url, own } = await openDatabase(server);
    await own.query("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    const target = new URL(url);
    target.pathname = "/latin";
    const inbox = inboxOf(target.href);
    const message =
      "postgresInbox: the database has the encoding LATIN1, but bodies are UTF-8; create one with UTF8";
    await expect(inbox.migrate()).rejects.toMatchObject({ code: "usage", message });
    const receiver = receiverOf(inbox);
    expect((await receiver(request(1))).status).toBe(500);
    const problems = [`deliveries can't be stored: ${message}`];
    expect(await receiver.health()).toMatchObject({ ok: false, problems });
  });

  test("without the right to insert shows in health", async () => {
    const { url, own } = await openDatabase(server);
    await inboxOf(url).migrate();
    const rights = `GRANT USAGE ON SCHEMA txfeed TO app;
      GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA txfeed TO app`;
    const receiver = receiverOf(inboxOf(await roleOf(own, url, rights)));
    const problems = ["deliveries can't be stored: permission denied for table lane"];
    expect(await receiver.health()).toMatchObject({ ok: false, problems });
    await own.query("GRANT INSERT ON ALL TABLES IN SCHEMA txfeed, public TO app");
    expect(await receiver.health()).toMatchObject({ ok: true, problems: [] });
    expect((await receiver(request(1))).status).toBe(202);
  });
});

describePostgres("the tables of postgresInbox", (server) => {
  test("are created once by 8 processes that start at the same time", async () => {
    const { url, own } = await openDatabase(server);
    const program = `
      import pg from "pg";
      import { postgresInbox } from ${JSON.stringify(join(ROOT, "src/webhooks/postgres/index.ts"))};
      const client = new pg.Pool({ connectionString: ${JSON.stringify(url)} });
      const inbox = postgresInbox({ client });
      process.stdout.write("ready");
      process.stdin.once("data", async () => {
        await inbox.add({ ...${JSON.stringify(delivery(""))}, key: process.argv[1] });
        process.exit(0);
      });`;
    const programs = Array.from({ length: 8 }, (_, index) =>
      startNode(["--input-type=module", "-e", program, `key ${index}`], { cwd: ROOT }),
    );
    await Promise.all(programs.map((each) => each.until(/ready/)));
    for (const { child } of programs) child.stdin.write("go");
    const results = await Promise.all(programs.map(({ ended }) => ended));
    expect(results).toEqual(programs.map(() => ({ status: 0, stdout: "ready", stderr: "" })));
    expect((await own.query("SELECT version FROM txfeed.inbox")).rows).toEqual([{ version: 1 }]);
    expect(await inboxOf(url).count()).toBe(8);
  });

  test("of a later version are refused in one line", async () => {
    const { url, own } = await openDatabase(server);
    await inboxOf(url).migrate();
    await own.query("UPDATE txfeed.inbox SET version = 2");
    const message =
      'postgresInbox: the schema "txfeed" has version 2, not 1; ' +
      "install the txfeed that created it, or a later one";
    await expect(inboxOf(url).add(delivery("a"))).rejects.toMatchObject({ code: "usage", message });
  });

  test("are created by a role that may not create schemas, if the schema exists", async () => {
    const { url, own } = await openDatabase(server);
    const client = poolOf(await roleOf(own, url, "CREATE SCHEMA own AUTHORIZATION app"));
    const add = async (schema: string) => {
      const inbox = postgresInbox({ client, schema });
      onFinished(() => inbox.close());
      return inbox.add(delivery("a"));
    };
    expect(await add("own")).toBe("added");
    await expect(add("other")).rejects.toThrow("permission denied for database");
  });

  test("in different schemas are independent, whatever their names and the search path", async () => {
    const { url } = await openDatabase(server);
    const client = poolOf(url, { options: "-c search_path=nowhere" });
    const [one, other] = ["Üml'aut \"x\\", "other"].map((schema) => {
      const inbox = postgresInbox({ client, schema });
      onFinished(() => inbox.close());
      return inbox;
    });
    expect(await one?.add(delivery("a"))).toBe("added");
    expect(await other?.add(delivery("a"))).toBe("added");
    const result = one?.once(delivery("b", "b"), MINUTE, async () => {
      expect(await other?.once(delivery("b", "b"), MINUTE, async () => {})).toBe("handled");
    });
    expect(await result).toBe("handled");
  });
});
