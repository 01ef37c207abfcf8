import pg from "pg";
import { expect, test } from "vitest";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { describePostgres } from "../../support/postgres.ts";
import { addAll, delivery, handled, keysOf, MINUTE, settle } from "../inbox/store.ts";

const STORED = 2000;
const REPETITIONS = 20;

describePostgres("the plans of postgresInbox", (server) => {
  test("a delivery costs as few rows in a full inbox as in an empty one", async () => {
    // One connection, which keeps the plans that it made while the tables were empty.
    const pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 1 });
    onFinished(() => pool.end());
    const inbox = postgresInbox({ client: pool });
    const handleFirst = async (count: number) => {
      const leases = await inbox.take(count, MINUTE);
      await settle(inbox, ...leases.map((lease) => handled(lease)));
    };
    const repeat = async (name: string) => {
      for (let n = 0; n < REPETITIONS; n += 1) {
        await addAll(inbox, [delivery(`${name} ${n}`, `${name} ${n}`)]);
        await handleFirst(1);
      }
    };
    /** Counts the rows and index entries that were read since the database was created. */
    const countRead = async () => {
      await pool.query("SELECT pg_stat_force_next_flush()");
      const { rows } = await pool.query(`
        SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)
          + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS read`);
      return Number(rows[0].read);
    };
    await repeat("empty");

    const stored = Array.from({ length: STORED }, (_, n) => delivery(`full ${n}`, `full ${n}`));
    await Promise.all(stored.map((each) => inbox.add(each)));
    await handleFirst(STORED / 2);
    const before = await countRead();
    await repeat("further");

    expect((await countRead()) - before).toBeLessThan(REPETITIONS * 100);
  });

  test("a lease has at most a million bytes of bodies, or one delivery", async () => {
    const pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 1 });
    onFinished(() => pool.end());
    const inbox = postgresInbox({ client: pool });
    const sizes = [400_000, 500_000, 1_200_000, 600_000, 300_000];
    const bodies = sizes.map((size) => JSON.stringify("é".repeat(size / 2)));
    await addAll(
      inbox,
      bodies.map((body, n) => delivery(`${n}`, "lane", { body })),
    );
    const taken: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const leases = await inbox.take(1, MINUTE);
      taken.push(leases.map(keysOf));
      await settle(inbox, ...leases.map((lease) => handled(lease)));
    }
    expect(taken).toEqual([[["0", "1"]], [["2"]], [["3", "4"]]]);
  });
});
