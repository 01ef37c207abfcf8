import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { START } from "../test-service.ts";
import { playALittle, sendJson, startHarness } from "./harness.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";

/** Runs a script and returns all of its results. */
async function play({ local }: Awaited<ReturnType<typeof startHarness>>): Promise<string> {
  await playALittle(local);
  await local.advance("2d");
  return JSON.stringify([(await local.status()).accounts, await local.events()]);
}

test.each(["empty", "small"] as const)(
  "the same seed recreates accounts, ids and events in the %s world",
  async (world) => {
    const harness = await startHarness({ world });
    const atStart = harness.dump();
    const first = await play(harness);
    await harness.local.reset();
    expect(harness.dump()).toBe(atStart);
    expect(await play(harness)).toBe(first);
    await harness.local.reset();
    await harness.local.reset({ seed: 1, world });
    expect(harness.dump()).toBe(atStart);
    expect(await play(harness)).toBe(first);
  },
);

test("another seed gives the same as a sandbox started with it", async () => {
  const harness = await startHarness();
  const first = await play(harness);
  await harness.local.reset({ seed: 2 });
  const second = await play(harness);
  expect(second).not.toBe(first);
  expect(await play(await startHarness({ seed: 2 }))).toBe(second);
  await harness.local.reset();
  expect(await play(harness)).toBe(second);
});

test("another seed draws the faults of a sandbox started with it", async () => {
  const met = async ({ faults, local }: Awaited<ReturnType<typeof startHarness>>) => {
    await local.setFaults({ deliveries: [{ kind: "drop", rate: 0.5 }] });
    return Array.from({ length: 40 }, () => faults.takeDelivery("transaction.created").length);
  };
  const harness = await startHarness();
  const first = await met(harness);
  await harness.local.reset({ seed: 2 });
  const second = await met(harness);
  expect(second).not.toEqual(first);
  expect(await met(await startHarness({ seed: 2 }))).toEqual(second);
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
  const { local } = await startHarness();
  await local.advance("30d");
  await local.reset();
  expect(await local.readClock()).toMatchObject({ mode: "frozen", now: START });
  await local.setClock({ mode: "real" });
  await local.reset();
  expect(await local.readClock()).toMatchObject({ mode: "frozen", now: START });
});

test("a system clock is reset to run from its start", async () => {
  await using sandbox = await createSandbox({ world: "empty", now: "2031-05-01T00:00:00.000Z" });
  await sandbox.advance("300d");
  await sandbox.reset();
  const { mode, now } = await sandbox.readClock();
  expect({ mode, day: now.slice(0, 10) }).toEqual({ mode: "real", day: "2031-05-01" });
});

test("endpoints are kept; faults and deliveries are removed", async () => {
  const { local } = await startHarness();
  await local.addEndpoint({ url: "http://127.0.0.1:9/", secret: SECRET });
  await local.setFaults({ listLagMs: 1000, api: [{ kind: "500" }] });
  await playALittle(local);
  const endpoints = await local.endpoints();
  expect(await local.deliveries()).not.toEqual([]);
  await local.reset();
  expect(await local.endpoints()).toEqual(endpoints);
  expect(await local.deliveries()).toEqual([]);
  expect(await local.faults()).toEqual({ api: [], deliveries: [], listLagMs: 0 });
});

test("endpoints get no initial events of the world, but all later ones", async () => {
  const { local } = await startHarness({ world: "small" });
  await local.addEndpoint({ url: "http://127.0.0.1:9/", secret: SECRET });
  const { counts } = await local.reset();
  expect(counts.deliveries).toBe(0);
  await local.trigger("open-subaccount");
  const { events } = await local.trigger("enroll");
  expect(await local.deliveries()).toHaveLength(events.length);
});

test("an endpoint of the second account is kept for the second, with any seed", async () => {
  const { local } = await startHarness();
  const [, second] = (await local.status()).accounts;
  await local.addEndpoint({ url: "http://127.0.0.1:9/", accountId: second?.accountId });
  await local.addEndpoint({ url: "http://127.0.0.1:9/all" });
  const { accounts } = await local.reset({ seed: 2 });
  expect(accounts[1]?.accountId).not.toBe(second?.accountId);
  const owners = (await local.endpoints()).map(({ accountId }) => accountId);
  expect(owners).toEqual([accounts[1]?.accountId, null]);
});

test("other sandbox data in meta is kept, such as its keys", async () => {
  const { engine, local } = await startHarness();
  engine.store.setMeta("some-key", "kept");
  await local.reset();
  expect(engine.store.meta("some-key")).toBe("kept");
});

test("a failed reset changes nothing, including the clock and the seed", async () => {
  const harness = await startHarness();
  await playALittle(harness.local);
  const before = harness.dump();
  const { database } = harness.engine.store;
  database.exec(`CREATE TEMP TRIGGER full BEFORE INSERT ON accounts
    BEGIN SELECT raise(ABORT, 'disk full'); END`);
  await expect(harness.local.reset({ seed: 9 })).rejects.toThrow("disk full");
  expect(await sendJson(harness, "POST", "/reset", { seed: 9 })).toMatchObject({
    status: 500,
    json: { status: 500, detail: "disk full" },
  });
  database.exec("DROP TRIGGER full");
  expect(harness.dump()).toBe(before);
  const { result } = await harness.local.trigger("open-subaccount");
  const other = await startHarness();
  await playALittle(other.local);
  expect((await other.local.trigger("open-subaccount")).result).toEqual(result);
});

test("a reset's world and seed are the next one's defaults, even after a restart", async () => {
  const dir = tempDir();
  const data = join(dir, "data");
  let status: unknown;
  {
    await using sandbox = await createSandbox({ data, clock: "frozen", world: "small" });
    status = await sandbox.reset({ world: "empty", seed: 4 });
  }
  await using again = await createSandbox({ data });
  await playALittle(again);
  expect(await again.reset()).toEqual(status);
});
