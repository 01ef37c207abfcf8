import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Listing } from "../../../src/sandbox/http/listing.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { START } from "../test-sandbox.ts";
import { playALittle, startTestServer, type TestServer } from "../test-server.ts";

// Resets, snapshots and their restoration.

const ENDPOINT = { url: "http://127.0.0.1:9/", secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz" };

/** Runs a script and returns all of its results. */
async function play({ local }: TestServer): Promise<string> {
  await playALittle(local);
  await local.advance("2d");
  return JSON.stringify([(await local.status()).accounts, await local.events()]);
}

test.each(["empty", "small"] as const)(
  "a reset to the same seed recreates accounts, ids and events in the %s world",
  async (world) => {
    const server = await startTestServer({ world });
    const atStart = server.dump();
    const first = await play(server);
    for (const options of [{}, { seed: 1, world }]) {
      await server.local.reset(options);
      expect(server.dump()).toBe(atStart);
      expect(await play(server)).toBe(first);
    }
  },
);

test("a reset to another seed gives the same as a sandbox started with it", async () => {
  const met = async ({ service, local }: TestServer) => {
    await local.setFaults({ deliveries: [{ kind: "drop", rate: 0.5 }] });
    const draw = () => service.faults.takeDelivery("transaction.created").length;
    return Array.from({ length: 40 }, draw).join();
  };
  const server = await startTestServer();
  const first = [await play(server), await met(server)];
  await server.local.reset({ seed: 2 });
  const second = [await play(server), await met(server)];
  expect([second[0] === first[0], second[1] === first[1]]).toEqual([false, false]);
  const other = await startTestServer({ seed: 2 });
  expect([await play(other), await met(other)]).toEqual(second);
  await server.local.reset();
  expect(await play(server)).toBe(second[0]);
});

test("a sandbox returns the accounts of its current state", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  const [before] = sandbox.accounts;
  await sandbox.snapshot("before");
  const { accounts } = await sandbox.reset({ seed: 2 });
  expect(sandbox.accounts).toEqual(accounts);
  expect(sandbox.accounts[0].accountId).not.toBe(before.accountId);
  await sandbox.restore("before");
  expect(sandbox.accounts[0]).toEqual(before);
});

test("a frozen clock returns to its start, even if it was running", async () => {
  const { local } = await startTestServer();
  await local.setClock({ mode: "real" });
  await local.advance("30d");
  await local.reset();
  expect(await local.readClock()).toMatchObject({ mode: "frozen", now: START });
});

test("a system clock is reset to run from its start, and restored to run", async () => {
  await using sandbox = await createSandbox({ world: "empty", now: "2031-05-01T00:00:00.000Z" });
  const expectToday = async () => {
    const { mode, now } = await sandbox.readClock();
    expect({ mode, day: now.slice(0, 10) }).toEqual({ mode: "real", day: "2031-05-01" });
  };
  await sandbox.snapshot("now");
  await sandbox.advance("300d");
  await sandbox.reset();
  await expectToday();
  await sandbox.setClock({ mode: "frozen", now: START });
  await sandbox.restore("now");
  await expectToday();
});

test("a reset keeps endpoints and other data, and removes faults and deliveries", async () => {
  const { local, engine } = await startTestServer({ world: "small" });
  const [, second] = (await local.status()).accounts;
  await local.addEndpoint(ENDPOINT);
  await local.addEndpoint({ ...ENDPOINT, accountId: second?.accountId });
  await local.setFaults({ listLagMs: 1000, api: [{ kind: "500" }] });
  engine.store.setMeta("some-key", "kept");
  await playALittle(local);
  expect(await local.deliveries()).not.toEqual([]);
  const before = await local.endpoints();
  const { counts, accounts } = await local.reset({ seed: 2 });
  // An endpoint of the second account is kept for the second.
  const owners = [null, accounts[1]?.accountId];
  expect(await local.endpoints()).toEqual(
    before.map((endpoint, index) => ({ ...endpoint, accountId: owners[index] })),
  );
  expect(accounts[1]?.accountId).not.toBe(second?.accountId);
  expect(engine.store.meta("some-key")).toBe("kept");
  expect(await local.faults()).toEqual({ api: [], deliveries: [], listLagMs: 0 });
  // The initial events of the world are not delivered, but all later ones.
  expect(counts.deliveries).toBe(0);
  const { events } = await local.trigger("enroll");
  expect(await local.deliveries()).toHaveLength(events.length);
});

test("a failed reset changes nothing, including the clock and the seed", async () => {
  const server = await startTestServer();
  await playALittle(server.local);
  const before = server.dump();
  const { database } = server.engine.store;
  database.exec(`CREATE TEMP TRIGGER full BEFORE INSERT ON accounts
    BEGIN SELECT raise(ABORT, 'disk full'); END`);
  expect(await server.sendJson("POST", "/reset", { seed: 9 })).toMatchObject({
    status: 500,
    json: { status: 500, detail: "disk full" },
  });
  database.exec("DROP TRIGGER full");
  expect(server.dump()).toBe(before);
  const { result } = await server.local.trigger("open-subaccount");
  const other = await startTestServer();
  await playALittle(other.local);
  expect((await other.local.trigger("open-subaccount")).result).toEqual(result);
});

test("snapshots, and a reset's world and seed, survive a restart", async () => {
  const data = join(tempDir(), "data");
  let [counts, status]: unknown[] = [];
  {
    await using sandbox = await createSandbox({ data, clock: "frozen", world: "small" });
    await playALittle(sandbox);
    ({ counts } = await sandbox.status());
    await sandbox.snapshot("kept");
    status = await sandbox.reset({ world: "empty", seed: 4 });
    expect(await sandbox.snapshots()).toEqual(["kept"]);
  }
  await using again = await createSandbox({ data });
  expect((await again.readClock()).now).toBe(START);
  expect((await again.restore("kept")).counts).toEqual(counts);
  await again.reset({ world: "empty", seed: 4 });
  await playALittle(again);
  expect(await again.reset()).toEqual(status);
});

test("a restored state equals the snapshot, with endpoints, clock and pending work", async () => {
  const { local, dump } = await startTestServer();
  await playALittle(local);
  await local.trigger("link-start");
  await local.trigger("link-complete", { by: "polling" });
  const { id } = await local.addEndpoint(ENDPOINT);
  await local.snapshot("before");
  const before = dump();
  expect((await local.readClock()).nextDue).not.toBeNull();
  await local.trigger("clear");
  await local.advance("3d");
  await local.removeEndpoint(id);
  expect(dump()).not.toBe(before);
  await local.restore("before");
  // Work that was due by the later clock does not run.
  expect(dump()).toBe(before);
});

test("events after a restore repeat exactly, with the same ids", async () => {
  const { local } = await startTestServer();
  await playALittle(local);
  await local.snapshot("fork");
  const script = async () => {
    const outcomes = [await local.trigger("clear"), await local.trigger("purchase")];
    await local.advance("2d");
    return JSON.stringify([outcomes, await local.events()]);
  };
  const first = await script();
  await local.restore("fork");
  expect(await script()).toBe(first);
  await local.reset({ seed: 5 });
  await local.restore("fork");
  expect(await script()).toBe(first);
});

test("a second snapshot with the same name replaces the first", async () => {
  const { local } = await startTestServer();
  await local.snapshot("b");
  await local.snapshot("a");
  await playALittle(local);
  await local.snapshot("b");
  expect(await local.snapshots()).toEqual(["a", "b"]);
  expect((await local.restore("b")).counts.transactions).toBe(1);
  expect((await local.restore("a")).counts.transactions).toBe(0);
});

test("queries for the latest or a page neither sort nor scan all resources", async () => {
  const { engine, local, accounts } = await startTestServer();
  const { accountId } = accounts[0];
  const prepared = vi.spyOn(engine.store, "sql");
  await playALittle(local);
  await local.resources("transactions");
  await local.resources("transactions", { accountId });
  for (const asOfMs of [undefined, 0]) {
    const listing = new Listing(engine.store, "cards", accountId, asOfMs);
    listing.after(0, 1);
    listing.from(0, 1);
    listing.total();
  }
  const { database } = engine.store;
  const plans = [...new Set(prepared.mock.calls.map(([text]) => text))]
    .filter((text) => /\bresources\b/.test(text) && !text.startsWith("INSERT"))
    .map((text) => {
      const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
      return [text, rows.map((row) => row["detail"]).join("; ")] as const;
    });
  expect(plans.length).toBeGreaterThan(8);
  const slow = plans.filter(([text, plan]) => {
    // Children of both states are sorted because they are few; counts come from an index.
    const isSorted = /TEMP B-TREE/.test(plan) && !text.includes("open IN");
    return isSorted || /SCAN resources(?! USING COVERING INDEX)/.test(plan);
  });
  expect(slow).toEqual([]);
});
