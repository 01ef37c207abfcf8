import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { expect, test } from "vitest";
import { createReceiver, type ReceiverOptions } from "../../../src/webhooks/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { bankTransaction, deliver, uuid } from "../../support/payloads.ts";
import { startPgBouncer, usesPgBouncer } from "../../support/pgbouncer.ts";
import { describePostgres } from "../../support/postgres.ts";
import { startNode } from "../../support/program.ts";
import { inboxOf, openDatabase, soon } from "./open.ts";
import type { StalledSettings } from "./stalled-process.ts";

const NAME = "banktransaction.created";
const LEASE_MS = 2000;
/** Transactions below this number need the hot row. */
const HOT = 8;

const request = (n: number) => deliver(NAME, bankTransaction(n));

function startStalled(settings: StalledSettings) {
  return startNode([join(import.meta.dirname, "stalled-process.ts"), JSON.stringify(settings)]);
}

describePostgres("a stalled transaction", (server) => {
  async function open(isBounced = false) {
    const { url: direct, own, effects } = await openDatabase(server);
    const url = isBounced ? await startPgBouncer(direct) : direct;
    await own.query("CREATE TABLE hot (id integer PRIMARY KEY, total integer)");
    const inbox = inboxOf(url, { max: 11 });
    await inbox.migrate();
    const results: (string | undefined)[] = [];
    const receive = (more: Partial<ReceiverOptions<pg.PoolClient>> = {}) => {
      const receiver = createReceiver({
        on: {
          async [NAME]({ body }, { tx, attempt }) {
            const n = Number(body.id.slice(-4));
            if (n < HOT) {
              await tx.query(`INSERT INTO hot VALUES (1, 1)
                ON CONFLICT (id) DO UPDATE SET total = hot.total + 1`);
            }
            await tx.query("INSERT INTO effect VALUES ($1)", [`${n} ${attempt}`]);
          },
        },
        inbox,
        onDelivery: ({ outcome, error }) => {
          if (outcome !== "stored") results.push(`${outcome} ${error ?? ""}`.trim());
        },
        ...more,
      });
      onFinished(() => receiver.close({ graceMs: 0 }));
      return receiver;
    };
    return { url, own, inbox, effects, receive, results };
  }

  test.each(usesPgBouncer ? [false, true] : [false])(
    "of a stopped worker keeps no locks after its lease; PgBouncer: %s",
    async (isBounced) => {
      const { url, own, inbox, effects, receive, results } = await open(isBounced);
      const receipts = receive({ work: false });
      for (let n = 0; n < HOT; n += 1) expect((await receipts(request(n))).status).toBe(202);
      const stalled = startStalled({ url, leaseMs: LEASE_MS });
      await stalled.until(/locked/);
      await soon(async () => expect(await inbox.status()).toMatchObject({ running: HOT }));
      stalled.child.kill("SIGSTOP");
      const receiver = receive({ work: { leaseMs: LEASE_MS, pollMs: 100, concurrency: HOT } });
      await soon(async () => expect(await inbox.status()).toMatchObject({ stalled: 0 }));
      await wait(LEASE_MS + 500);

      for (let n = HOT; n < HOT + 20; n += 1) await receiver(request(n));
      await soon(async () => expect(await inbox.status()).toMatchObject({ waiting: 0 }), 3000);

      stalled.child.kill("SIGCONT");
      await wait(2500);
      const all = Array.from({ length: HOT + 20 }, (_, n) => `${n} ${n < HOT ? 2 : 1}`);
      expect(await effects()).toEqual(all.toSorted());
      expect((await own.query("SELECT total FROM hot")).rows).toEqual([{ total: HOT }]);
      expect(results).toEqual(all.map(() => "handled"));
    },
  );

  test("of an operator delays only the deliveries that need its locks, without a failure", async () => {
    const { own, inbox, effects, receive, results } = await open();
    const operator = await own.connect();
    onFinished(() => operator.release());
    await operator.query("BEGIN; INSERT INTO hot VALUES (1, 0)");
    const receiver = receive({ work: { leaseMs: 1000, pollMs: 100, concurrency: 4 } });
    for (let n = 5; n < HOT + 10; n += 1) await receiver(request(n));

    await soon(async () => expect(await effects()).toHaveLength(10), 5000);
    await soon(async () => {
      const blocked = await inbox.list();
      expect(blocked).toMatchObject(
        [5, 6, 7].map((n) => ({
          body: expect.stringContaining(uuid(n)),
          failures: 0,
          reason: "canceling statement due to lock timeout",
        })),
      );
    }, 5000);
    expect(results.filter((each) => each !== "handled")).toContain(
      "postponed TxfeedError: blocked by another transaction: canceling statement due to lock timeout",
    );
    expect(results.filter((each) => /^(handled|postponed)/.test(each ?? ""))).toEqual(results);

    await operator.query("COMMIT");
    await soon(async () => expect(await inbox.status()).toMatchObject({ waiting: 0 }));
    expect((await own.query("SELECT total FROM hot")).rows).toEqual([{ total: 3 }]);
  });

  test("before an acknowledgement ends with its lease and has no effect", async () => {
    const { url, effects, receive } = await open();
    const stalled = startStalled({ url, leaseMs: LEASE_MS, direct: 1 });
    await stalled.until(/locked/);
    stalled.child.kill("SIGSTOP");
    const receiver = receive({ acknowledge: "handled", work: { leaseMs: LEASE_MS } });
    const later = () => deliver(NAME, { ...bankTransaction(1), metadata: { number: "2" } });
    expect((await receiver(later())).status).toBe(503);
    await soon(async () => expect((await receiver(later())).status).toBe(204), LEASE_MS + 2000);
    expect((await receiver(request(1))).status).toBe(204);

    stalled.child.kill("SIGCONT");
    await stalled.until(/status 500/);
    expect(await effects()).toEqual(["1 1", "1 1"]);
    expect((await receiver(request(1))).status).toBe(204);
    expect(await effects()).toEqual(["1 1", "1 1"]);
  });
});
