import { once } from "node:events";
import { connect as connectTcp, createServer, type Socket } from "node:net";
import pg from "pg";
import { expect, test, vi } from "vitest";
import type { Lease, Settlement } from "../../../src/webhooks/inbox.ts";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { describePostgres } from "../../support/postgres.ts";

const MINUTE = 60_000;

const delivery = (key: string, lane = "lane", body = "{}") => ({
  key,
  lane,
  event: "transaction.updated",
  body,
  headers: {},
  deliveryId: null,
  receivedAt: "2025-03-04T12:30:16.120Z",
});

const handled = (lease: Lease): Settlement => ({
  lease,
  handled: lease.deliveries.map(({ id }) => id),
  quarantined: [],
});

describePostgres("postgresInbox", (server) => {
  function pool(connectionString: string) {
    const client = new pg.Pool({ connectionString });
    client.on("error", () => undefined);
    onFinished(() => client.end());
    return client;
  }

  /** An inbox, and another pool for the tests' own statements. */
  async function open() {
    const url = await server.createDatabase();
    const client = new pg.Pool({ connectionString: url });
    onFinished(() => client.end());
    const inbox = postgresInbox({ client });
    const own = pool(url);
    await own.query("CREATE TABLE effect (key text)");
    await inbox.migrate();
    const effects = async () => {
      const { rows } = await own.query<{ key: string }>("SELECT key FROM effect ORDER BY key");
      return rows.map(({ key }) => key);
    };
    return { url, inbox, own, effects };
  }

  async function takeOne(inbox: Awaited<ReturnType<typeof open>>["inbox"], leaseMs = MINUTE) {
    const [lease] = await inbox.take(1, leaseMs);
    if (!lease) throw new Error("no lane is due");
    return lease;
  }

  /** Ends the connection that is running a statement, as soon as there is one. */
  async function cut(own: pg.Pool, statement: string) {
    await vi.waitFor(async () => {
      const { rowCount } = await own.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()`,
        [statement],
      );
      expect(rowCount).toBe(1);
    }, 10_000);
  }

  test("a receipt whose connection is cut is not acknowledged and can be repeated", async () => {
    const { inbox, own } = await open();
    await inbox.add(delivery("a"));
    const blocker = await own.connect();
    await blocker.query("BEGIN; SELECT FROM txfeed.lane FOR UPDATE");
    const receipt = expect(inbox.add(delivery("b"))).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(/^the database of the inbox can't be reached: [^\n]+$/),
    });
    await cut(own, "%txfeed%.receive(%");
    await receipt;
    await blocker.query("ROLLBACK");
    blocker.release();
    expect(await inbox.list()).toHaveLength(1);
    expect(await inbox.add(delivery("b"))).toBe("added");
  });

  test("a locked lane delays no receipts of other lanes forever", async () => {
    const { inbox, own } = await open();
    await inbox.add(delivery("a", "locked"));
    const blocker = await own.connect();
    await blocker.query("BEGIN; SELECT FROM txfeed.lane FOR UPDATE");
    const [blocked, other] = await Promise.allSettled([
      inbox.add(delivery("b", "locked")),
      inbox.add(delivery("c", "other")),
    ]);
    expect(blocked).toMatchObject({ status: "rejected", reason: { code: "55P03" } });
    expect(other).toEqual({ status: "fulfilled", value: "added" });
    await blocker.query("ROLLBACK");
    blocker.release();
  });

  test("a delivery that can't be stored does not fail the others of its batch", async () => {
    const { inbox } = await open();
    const results = await Promise.allSettled(
      ["a", "b", "nul\0", "c", "d"].map((text) => inbox.add(delivery(text, text))),
    );
    expect(results.map(({ status }) => status)).toEqual([
      ...["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"],
    ]);
    expect(await inbox.list()).toHaveLength(4);
  });

  test("a commit that is cut undoes the effects and the record of the handling", async () => {
    const { inbox, own, effects } = await open();
    // Delays the commit.
    await own.query(`
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON effect
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`);
    await inbox.add(delivery("a"));
    const lease = await takeOne(inbox, 1);
    const handle = (one: Lease) =>
      inbox.transaction(async (runPart) => {
        await runPart((tx) => tx.query("INSERT INTO effect VALUES ('a')"));
        return [handled(one)];
      });
    const cutOff = expect(handle(lease)).rejects.toMatchObject({ code: "unreachable" });
    await cut(own, "COMMIT");
    await cutOff;
    expect(await effects()).toEqual([]);
    await handle(await takeOne(inbox));
    expect(await effects()).toEqual(["a"]);
    expect(await inbox.status()).toMatchObject({ waiting: 0 });
  });

  /** An address where the response to the first statement that matches gets lost. */
  async function losing(url: string, statement: string) {
    const target = new URL(url);
    const { port, hostname } = target;
    const sockets = new Set<Socket>();
    let isLost = false;
    const proxy = createServer((socket) => {
      const upstream = connectTcp(Number(port), hostname);
      let isLosing = false;
      for (const each of [socket, upstream]) {
        sockets.add(each);
        each.on("error", () => undefined);
        each.on("close", () => [socket, upstream].map((one) => one.destroy()));
      }
      socket.on("data", (data) => {
        if (!isLost && data.includes(statement)) isLosing = isLost = true;
        upstream.write(data);
      });
      upstream.on("data", (data) => {
        if (isLosing) socket.destroy();
        else socket.write(data);
      });
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    target.port = String((proxy.address() as { readonly port: number }).port);
    return target.href;
  }

  test("a receipt that was committed without a response is a duplicate afterwards", async () => {
    const { url, own } = await open();
    const client = pool(await losing(url, ".receive("));
    const inbox = postgresInbox({ client });
    await expect(inbox.add(delivery("a"))).rejects.toMatchObject({ code: "unreachable" });
    await vi.waitFor(async () => expect(await inbox.list()).toHaveLength(1));
    expect(await inbox.add(delivery("a"))).toBe("waiting");
    expect((await own.query("SELECT key FROM txfeed.delivery")).rowCount).toBe(1);
  });

  test("handling that was committed without a response is not repeated", async () => {
    const { url, effects } = await open();
    const inbox = postgresInbox({ client: pool(await losing(url, "COMMIT\0")) });
    await inbox.add(delivery("a"));
    const lease = await takeOne(inbox, 1);
    const outcome = inbox.transaction(async (runPart) => {
      await runPart((tx) => tx.query("INSERT INTO effect VALUES ('a')"));
      return [handled(lease)];
    });
    await expect(outcome).rejects.toMatchObject({ code: "unreachable" });
    await vi.waitFor(async () => expect(await effects()).toEqual(["a"]));
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    expect(await inbox.add(delivery("a"))).toBe("handled");
  });

  test("a crash of the server loses nothing that was acknowledged", async () => {
    const { inbox, effects } = await open();
    const acknowledged: string[] = [];
    let isEnding = false;
    const sender = async (name: number) => {
      for (let n = 0; !isEnding; n += 1) {
        const key = `${name} ${n}`;
        const receipt = await inbox.add(delivery(key, `${name}`)).catch((error) => error.code);
        if (receipt === "added") acknowledged.push(key);
        // The sender would try again later.
        else await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const senders = Promise.all([1, 2, 3, 4].map(sender));
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(50), 20_000);
    await server.stop("immediate");
    const before = acknowledged.length;
    await server.start();
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 50), 30_000);
    isEnding = true;
    await senders;
    for (;;) {
      const leases = await inbox.take(10, MINUTE);
      if (leases.length === 0) break;
      await inbox.transaction(async (runPart) => {
        for (const { key } of leases.flatMap(({ deliveries }) => deliveries)) {
          await runPart((tx) => tx.query("INSERT INTO effect VALUES ($1)", [key]));
        }
        return leases.map(handled);
      });
    }
    const done = await effects();
    expect(new Set(done).size).toBe(done.length);
    expect(acknowledged.filter((key) => !done.includes(key))).toEqual([]);
  });

  test("a full disk loses nothing that was acknowledged, and receipt goes on afterwards", async () => {
    const { inbox } = await open();
    await server.stop("fast");
    // More than a segment of the log has; the table is full after about 9,000 deliveries.
    await server.start(24 << 20);
    const body = JSON.stringify("x".repeat(20));
    const long = Array.from({ length: 100 }, () => crypto.randomUUID()).join("");
    const acknowledged: string[] = [];
    let failure: unknown;
    for (let n = 0; failure === undefined && n < 20_000; n += 100) {
      const keys = Array.from({ length: 100 }, (_, index) => `${n + index}`);
      const adding = keys.map(async (key) => {
        await inbox.add(delivery(key, key, `${body}${long}`));
        acknowledged.push(key);
      });
      const results = await Promise.allSettled(adding);
      failure = results.find((result) => result.status === "rejected")?.reason;
    }
    expect(String(failure)).toContain("could not extend file");
    const stored = async () => new Set((await inbox.list()).map(({ key }) => key));
    const before = await stored();
    expect(acknowledged.filter((key) => !before.has(key))).toEqual([]);
    await server.stop("immediate");
    await server.start();
    const after = await vi.waitFor(stored, 10_000);
    expect(acknowledged.filter((key) => !after.has(key))).toEqual([]);
    expect(await inbox.add(delivery("later"))).toBe("added");
  });

  test("a server that does not run is reported in one line", async () => {
    const { inbox } = await open();
    await server.stop("fast");
    const message = expect.stringMatching(/^the database of the inbox can't be reached: [^\n]+$/);
    const error = { code: "unreachable", message };
    await expect(inbox.add(delivery("a"))).rejects.toMatchObject(error);
    await expect(inbox.take(1, MINUTE)).rejects.toMatchObject(error);
    await expect(inbox.transaction(async () => [])).rejects.toMatchObject(error);
    await server.start();
    expect(await inbox.add(delivery("a"))).toBe("added");
  });
});
