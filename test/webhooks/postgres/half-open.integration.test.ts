import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { hasCode } from "../../../src/errors.ts";
import { createReceiver } from "../../../src/webhooks/index.ts";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { bankTransaction, deliver } from "../../support/payloads.ts";
import { describePostgres } from "../../support/postgres.ts";
import { delivery, takeOne } from "../inbox/store.ts";
import { inboxOf, openDatabase, poolOf, soon, throughProxy, timed } from "./open.ts";

const NAME = "banktransaction.created";
const LEASE_MS = 3000;
/** The limit of a wait for the database is 4 s. */
const LIMIT_MS = 6000;

const PROBLEM = expect.stringMatching(/^deliveries can't be stored: (the database|no response)/);

const request = (n: number) => deliver(NAME, bankTransaction(n));

describePostgres("a half-open connection", (server) => {
  /** A receiver through a proxy whose connections are in the order of their purposes. */
  async function open(leaseMs = LEASE_MS) {
    const { url, own, effects } = await openDatabase(server);
    const proxy = await throughProxy(url);
    const inbox = inboxOf(proxy.url);
    await inbox.migrate();
    expect(await inbox.add(delivery("first", "first"))).toBe("added");
    await takeOne(inbox);
    const { promise: isGoing, resolve: goOn } = Promise.withResolvers<void>();
    let handling = 0;
    const failures: unknown[] = [];
    const receiver = createReceiver({
      on: {
        async [NAME]({ body }, { tx }) {
          handling += 1;
          await isGoing;
          await tx.query("INSERT INTO effect VALUES ($1)", [Number(body.id.slice(-4))]);
        },
      },
      inbox,
      onDelivery: ({ outcome, error }) => {
        if (outcome === "failed" && !hasCode(error, "unreachable")) failures.push(error);
      },
      work: { leaseMs, pollMs: 100 },
    });
    onFinished(() => receiver.close({ graceMs: 0 }));
    expect((await receiver(request(1))).status).toBe(202);
    await soon(() => expect(handling).toBe(1));
    /** Swallows the connections with these places, or all of them. */
    const swallow = (places?: readonly number[]) => {
      let place = -1;
      return proxy.swallow(0.5, () => {
        place += 1;
        return places?.includes(place) === false ? 1 : 0;
      });
    };
    const statusOf = async (n: number) => (await receiver(request(n))).status;
    const handled = () => handling;
    return { proxy, inbox, receiver, own, effects, goOn, handled, swallow, statusOf, failures };
  }

  test.each([
    { name: "receipts", places: [1], expected: 500 },
    { name: "leases", places: [2], expected: 202 },
    { name: "a running handler", places: [3], expected: 202 },
    { name: "each purpose", places: undefined, expected: 500 },
  ])("of $name is replaced within seconds", async ({ name, places, expected }) => {
    const { inbox, receiver, effects, goOn, swallow, statusOf, failures } = await open();
    expect(swallow(places), name).toBe(places?.length ?? 4);
    goOn();

    expect(await timed(statusOf(2), LIMIT_MS)).toBe(expected);
    expect(await timed(statusOf(3), 2000)).toBe(202);
    await soon(async () =>
      expect(await receiver.health()).toMatchObject({ ok: true, problems: [] }),
    );

    const all = expected === 202 ? ["1", "2", "3"] : ["1", "3"];
    await soon(async () => expect(await effects()).toEqual(all), 15_000);
    await soon(async () => expect(await inbox.list()).toMatchObject([{ key: "first" }]));
    expect(failures).toEqual([]);
    await timed(receiver.close(), 2000);
    await timed(inbox.close(), 2000);
  });

  test.each([
    { name: "receipts", places: [1] },
    { name: "each purpose", places: undefined },
  ])("of $name shows in health until another one is used", async ({ places }) => {
    const { receiver, swallow, statusOf } = await open();
    swallow(places);
    const { ok, problems } = await timed(receiver.health(), LIMIT_MS);
    expect({ ok, problems: problems.slice(0, 1) }).toEqual({ ok: false, problems: [PROBLEM] });
    expect(await timed(statusOf(2), 2000)).toBe(202);
    expect(await timed(receiver.health(), 2000)).toMatchObject({ ok: true });
  });

  test("of a handler that waits for a lock is replaced before the server ends it", async () => {
    const { own, effects, goOn, handled, swallow, failures } = await open(6000);
    const holder = await own.connect();
    onFinished(() => holder.release(true));
    await holder.query("BEGIN; LOCK TABLE effect IN EXCLUSIVE MODE");
    // The renewals are 2 s apart: the next one finds a statement that waits.
    await wait(1000);
    goOn();
    await soon(async () => {
      const { rowCount } = await own.query("SELECT FROM pg_locks WHERE NOT granted");
      expect(rowCount).toBe(1);
    });
    // The statement ends after 1.5 s, and its error gets lost.
    expect(swallow([3])).toBe(1);
    await soon(() => expect(handled()).toBe(2));
    await holder.query("COMMIT");
    await soon(async () => expect(await effects()).toEqual(["1"]));
    expect(failures).toEqual([]);
  });

  /** An inbox with two connections of its own, whose pool has idle ones. */
  async function openWithIdle(count: number) {
    const { url } = await openDatabase(server);
    const proxy = await throughProxy(url);
    const client = poolOf(proxy.url);
    const inbox = postgresInbox({ client });
    onFinished(() => inbox.close());
    await inbox.add(delivery("first"));
    const idle = await Promise.all(Array.from({ length: count }, () => client.connect()));
    for (const one of idle) one.release();
    return { proxy, inbox };
  }

  test("in a pool does not prolong a wait", async () => {
    const { proxy, inbox } = await openWithIdle(2);
    onFinished(proxy.partition());
    for (const key of ["second", "third"]) {
      const added = expect(inbox.add(delivery(key))).rejects.toMatchObject({ code: "unreachable" });
      await timed(added, 5000);
    }
  });

  test("in a pool delays a transaction once, however many there are", async () => {
    const { proxy, inbox } = await openWithIdle(8);
    expect(proxy.swallow(1, () => 0)).toBe(10);
    await timed(
      inbox.transaction(LEASE_MS, async () => []),
      2500,
    );
  });

  test("of each purpose, and no new one, delays no end of the receiver", async () => {
    const { proxy, inbox, receiver, statusOf } = await open();
    onFinished(proxy.partition());
    const receipts = [2, 3, 4].map(statusOf);
    await wait(100);
    receipts.push(statusOf(5));
    expect(await timed(receiver.health(), LIMIT_MS)).toMatchObject({ ok: false });
    await timed(receiver.close({ graceMs: 0 }), 2 * LIMIT_MS);
    await timed(inbox.close(), 2 * LIMIT_MS);
    expect(await Promise.all(receipts)).toEqual(receipts.map(() => 500));
  });
});
