import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { expect, test, vi } from "vitest";
import type { Lease } from "../../../src/webhooks/inbox.ts";
import { startWorker } from "../../../src/webhooks/worker.ts";
import { onFinished } from "../../support/on-finished.ts";
import { describePostgres } from "../../support/postgres.ts";
import { addAll, delivery, handled, MINUTE, takeOne } from "../inbox/store.ts";
import {
  commitRuns,
  delayCommits,
  inboxOf,
  openDatabase,
  soon,
  type TestInbox,
  throughProxy,
} from "./open.ts";

const UNREACHABLE = {
  code: "unreachable",
  message: expect.stringMatching(/^the database of the inbox can't be used: [^\n]+$/),
};

describePostgres("postgresInbox", (server) => {
  async function open() {
    const { url, ...rest } = await openDatabase(server);
    const inbox = inboxOf(url);
    await inbox.migrate();
    return { url, inbox, ...rest };
  }

  /** Handles a lease: writes one effect. */
  const handle = (inbox: TestInbox, lease: Lease) =>
    inbox.transaction(MINUTE, async (runPart) => {
      await runPart((tx) => tx.query("INSERT INTO effect VALUES ('a')"));
      return [handled(lease)];
    });

  test("a lane that receives a delivery is renewed, and a late lease ends others once", async () => {
    const { url, inbox, own } = await open();
    await inbox.add(delivery("a", "lane"));
    const lease = await takeOne(inbox, 1000);
    const unlock = await lockLanes(own);
    const renewing = inbox.renew([lease], MINUTE);
    await wait(100);
    await unlock();
    expect(await renewing).toEqual([]);
    const lanes = async () =>
      (
        await own.query(
          "SELECT due_at > 1000 * extract(epoch FROM now()) + 50000 AS late, holder FROM txfeed.lane",
        )
      ).rows;
    expect(await lanes()).toEqual([{ late: true, holder: expect.any(String) }]);

    await own.query("UPDATE txfeed.lane SET due_at = 1");
    const other = inboxOf(url);
    await other.add(delivery("b", "other"));
    await other.renew([], MINUTE);
    expect(await lanes()).toContainEqual({ late: false, holder: null });
    expect(await inbox.renew([lease], MINUTE)).toEqual([]);
    expect(await lanes()).toContainEqual({ late: true, holder: expect.any(String) });
  });

  /** Ends the connection that is running a statement, as soon as there is one. */
  const cut = (own: pg.Pool, statement: string) =>
    soon(async () => {
      const { rowCount } = await own.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()
          AND wait_event IS NOT NULL`,
        [statement],
      );
      expect(rowCount).toBe(1);
    });

  /** Holds the locks of all lanes until the returned function is called. */
  async function lockLanes(own: pg.Pool) {
    const client = await own.connect();
    await client.query("BEGIN; SELECT FROM txfeed.lane FOR UPDATE");
    return async () => {
      await client.query("ROLLBACK");
      client.release();
    };
  }

  test("does not acknowledge a receipt whose connection is cut", async () => {
    const { inbox, own } = await open();
    await inbox.add(delivery("a", "lane"));
    const unlock = await lockLanes(own);
    const receipt = expect(inbox.add(delivery("b", "lane"))).rejects.toMatchObject(UNREACHABLE);
    await cut(own, "%.receive(%");
    await receipt;
    await unlock();
    expect(await inbox.list()).toHaveLength(1);
    expect(await inbox.add(delivery("b", "lane"))).toBe("added");
  });

  test("a sweep deletes empty lanes, and keeps no other from being taken", async () => {
    const { inbox, own } = await open();
    await inbox.add(delivery("a", "lane"));
    await takeOne(inbox, 1000);
    await own.query(`UPDATE txfeed.lane SET due_at = 1;
      INSERT INTO txfeed.lane (name, due_at, token) VALUES ('=empty', 1, gen_random_uuid())`);
    const sweeper = await own.connect();
    await sweeper.query("BEGIN; SELECT txfeed.sweep(100)");
    const taken = await inbox.take(1, MINUTE);
    await sweeper.query("COMMIT");
    sweeper.release();
    expect(taken).toMatchObject([{ lane: "=lane" }]);
    expect((await own.query("SELECT name FROM txfeed.lane")).rows).toEqual([{ name: "=lane" }]);
  });

  test("refuses only the receipts of a locked lane", async () => {
    const { inbox, own } = await open();
    await inbox.add(delivery("a", "locked"));
    const unlock = await lockLanes(own);
    const lanes = ["1", "2", "locked", "3"];
    const results = await Promise.allSettled(lanes.map((lane) => inbox.add(delivery(lane, lane))));
    expect(results).toMatchObject(
      lanes.map((lane) =>
        lane === "locked" ? { reason: UNREACHABLE } : { status: "fulfilled", value: "added" },
      ),
    );
    await unlock();
  });

  test("undoes the effects and the record of a commit that is cut", async () => {
    const { inbox, own, effects } = await open();
    await delayCommits(own);
    await inbox.add(delivery("a"));
    const failing = expect(handle(inbox, await takeOne(inbox, 1))).rejects;
    const cutOff = failing.toMatchObject(UNREACHABLE);
    await cut(own, "%COMMIT%");
    await cutOff;
    expect(await effects()).toEqual([]);
    await handle(inbox, await takeOne(inbox));
    expect(await effects()).toEqual(["a"]);
    expect(await inbox.count()).toBe(0);
  });

  test("repeats no receipt or handling whose response gets lost", async () => {
    const { url, own, effects } = await open();
    await delayCommits(own);
    await delayCommits(own, "txfeed.delivery");
    const proxy = await throughProxy(url);
    const inbox = inboxOf(proxy.url);
    /** Swallows all connections while a commit runs. */
    const lose = async () => {
      await commitRuns(own);
      proxy.swallow(1, () => 0);
    };
    const receipt = expect(inbox.add(delivery("a"))).rejects.toMatchObject({ code: "unreachable" });
    await lose();
    await receipt;
    expect(await inbox.add(delivery("a"))).toBe("waiting");
    expect((await own.query("SELECT FROM txfeed.delivery")).rowCount).toBe(1);

    const lease = await takeOne(inbox, 2000);
    const renewal = setInterval(() => void inbox.renew([lease], 2000).catch(() => {}), 600);
    onFinished(() => clearInterval(renewal));
    const handling = expect(handle(inbox, lease)).rejects.toMatchObject({ code: "unreachable" });
    await lose();
    await handling;
    expect(await effects()).toEqual(["a"]);
    const other = inboxOf(url);
    expect(await other.take(1, MINUTE)).toEqual([]);
    expect(await other.add(delivery("a"))).toBe("handled");
  });

  test("loses nothing that was acknowledged if the server crashes", async () => {
    const { inbox } = await open();
    const acknowledged: string[] = [];
    let isEnding = false;
    const sender = async (name: number) => {
      for (let n = 0; !isEnding; n += 1) {
        const key = `${name} ${n}`;
        const receipt = await inbox.add(delivery(key, `${name}`)).catch(({ code }) => code);
        if (receipt === "added") acknowledged.push(key);
        // The sender would try again later.
        else await wait(20);
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
    const stored = (await inbox.list()).map(({ key }) => key);
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((key) => !stored.includes(key))).toEqual([]);
  });

  test("loses nothing that was acknowledged if the disk is full, and goes on afterwards", async () => {
    const { inbox } = await open();
    await server.stop("fast");
    // More than a segment of the log has; the table is full after about 9,000 deliveries.
    await server.start(24 << 20);
    const long = Array.from({ length: 100 }, () => crypto.randomUUID()).join("");
    const acknowledged: string[] = [];
    let failure: unknown;
    for (let n = 0; failure === undefined && n < 20_000; n += 100) {
      const adding = Array.from({ length: 100 }, async (_, index) => {
        await inbox.add(delivery(`${n + index}`, `${n + index}`, { body: JSON.stringify(long) }));
        acknowledged.push(`${n + index}`);
      });
      const results = await Promise.allSettled(adding);
      failure = results.find((result) => result.status === "rejected")?.reason;
    }
    expect(String(failure)).toContain("could not extend file");
    await expect(inbox.check()).rejects.toThrow("could not extend file");
    const lost = async () => {
      const stored = new Set((await inbox.list()).map(({ key }) => key));
      return acknowledged.filter((key) => !stored.has(key));
    };
    expect(await lost()).toEqual([]);
    await server.stop("immediate");
    await server.start();
    expect(await vi.waitFor(lost, 10_000)).toEqual([]);
    expect(await inbox.add(delivery("later"))).toBe("added");
  });

  test("uses other connections at once if the server has closed them", async () => {
    const { inbox, own } = await open();
    for (const key of ["a", "b"]) {
      expect(await inbox.add(delivery(key))).toBe("added");
      expect(await inbox.take(1, MINUTE)).toHaveLength(1);
      expect(await inbox.status()).toMatchObject({ stalled: 0 });
      await own.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      await wait(100);
    }
  });

  test("reports a server that does not run in one line", async () => {
    const { inbox } = await open();
    await server.stop("fast");
    await expect(inbox.add(delivery("a"))).rejects.toMatchObject(UNREACHABLE);
    await expect(inbox.take(1, MINUTE)).rejects.toMatchObject(UNREACHABLE);
    await expect(inbox.transaction(1000, async () => [])).rejects.toMatchObject(UNREACHABLE);
    await server.start();
    expect(await inbox.add(delivery("a"))).toBe("added");
  });

  test("lets a handler that does not end occupy no connection after its time limit", async () => {
    const { url, effects } = await open();
    const inbox = inboxOf(url, { max: 2 });
    await addAll(inbox, [delivery("endless", "one"), delivery("other", "two")]);
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    const worker = startWorker(
      inbox,
      {
        async handle({ delivery: { key }, tx }) {
          await tx.query("INSERT INTO effect VALUES ($1)", [key]);
          if (key !== "endless") return { outcome: "handled" };
          await isOver;
          late = tx.query("INSERT INTO effect VALUES ('late')");
          await late;
          return { outcome: "handled" };
        },
        report() {},
        interrupted() {},
      },
      { timeoutMs: 200, pollMs: 50, retryDelaysMs: [60_000] },
    );
    onFinished(() => worker.close(0));
    await soon(async () => {
      expect(await inbox.status()).toMatchObject({ waiting: 1, delayed: 1, running: 0 });
    });
    end();
    await soon(() => expect(late).toBeDefined());
    await expect(late).rejects.toThrow();
    expect(await effects()).toEqual(["other"]);
  });
});
