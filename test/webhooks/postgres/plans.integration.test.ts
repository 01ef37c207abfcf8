import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { expect, test } from "vitest";
import { describePostgres } from "../../support/postgres.ts";
import { addAll, delivery, handled, MINUTE, settle } from "../inbox/store.ts";
import { inboxOf, openDatabase, type TestInbox } from "./open.ts";

const STORED = 2000;
const REPETITIONS = 20;
/** The resources that wait for a retry, those that are due, and those of a lease. */
const [DELAYED, DUE, LIMIT] = [220_000, 21_000, 100];

describePostgres("the plans of postgresInbox", (server) => {
  /** Counts the rows and index entries that were read since the database was created. */
  async function countRead(own: pg.Pool, inbox: TestInbox) {
    // Each of the two connections reports its numbers with a statement, at most once a second.
    await wait(1100);
    await inbox.check();
    await inbox.transaction(MINUTE, async () => []);
    const { rows } = await own.query(`
      SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)
        + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS read`);
    return Number(rows[0].read);
  }

  async function handleFirst(inbox: TestInbox, count: number) {
    const leases = await inbox.take(count, MINUTE);
    await settle(inbox, ...leases.map((lease) => handled(lease)));
    return leases.length;
  }

  test("read as few rows per delivery in a full inbox as in an empty one", async () => {
    const { url, own } = await openDatabase(server);
    // One session, which keeps the plans that it made while the tables were empty.
    const inbox = inboxOf(url, { max: 2 });
    const repeat = async (name: string) => {
      for (let n = 0; n < REPETITIONS; n += 1) {
        await addAll(inbox, [delivery(`${name} ${n}`, `${name} ${n}`)]);
        await handleFirst(inbox, 1);
      }
    };
    await repeat("empty");
    const stored = Array.from({ length: STORED }, (_, n) => delivery(`full ${n}`, `full ${n}`));
    await Promise.all(stored.map((each) => inbox.add(each)));
    await handleFirst(inbox, STORED / 2);
    const before = await countRead(own, inbox);
    await repeat("further");
    expect((await countRead(own, inbox)) - before).toBeLessThan(REPETITIONS * 100);
  });

  test.each(["before", "between", "after"])(
    "take few rows and locks if statistics are made %s resources that wait for a retry and due ones",
    async (when) => {
      const { url, own } = await openDatabase(server);
      const inbox = inboxOf(url, { max: 2 });
      await inbox.migrate();
      const analyze = () => own.query("ANALYZE txfeed.lane, txfeed.delivery");
      await own.query(`ALTER TABLE txfeed.lane SET (autovacuum_enabled = off);
        ALTER TABLE txfeed.delivery SET (autovacuum_enabled = off)`);
      const insert = async (name: string, count: number, due: string) => {
        const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        await own.query(`
          INSERT INTO txfeed.lane (name, due_at)
            SELECT '=${name}' || n, ${now} ${due} FROM generate_series(1, ${count}) AS n;
          INSERT INTO txfeed.delivery (key, lane, event, headers, received_at, body)
            SELECT '${name}' || n, '=${name}' || n, 'event', '{}', '2025-03-04T12:30:16.120Z', '{}'
            FROM generate_series(1, ${count}) AS n`);
      };
      if (when === "before") await analyze();
      await insert("delayed ", DELAYED, "+ 3600000 + n");
      if (when === "between") await analyze();
      await insert("due ", DUE, "- n % 1000");
      if (when === "after") await analyze();

      const { rows } = await own
        .query(`BEGIN;
        SELECT count(*) FROM txfeed.take(${LIMIT}, 32, 60000, 1);
        SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid();
        ROLLBACK`)
        .then((results) => (results as unknown as pg.QueryResult[])[2] ?? { rows: [] });
      expect(Number(rows[0]?.count)).toBeLessThan(50);

      const before = await countRead(own, inbox);
      const startedAt = performance.now();
      let count = 0;
      while (count < 20 * LIMIT) {
        count += await handleFirst(inbox, LIMIT);
        expect(count / ((performance.now() - startedAt) / 1000)).toBeGreaterThan(200);
      }
      expect((await countRead(own, inbox)) - before).toBeLessThan(count * 30);
    },
  );
});
