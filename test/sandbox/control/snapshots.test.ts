import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { playALittle, START, startRig } from "./rig.ts";

const ENDPOINT = { url: "http://127.0.0.1:9/", secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz" };

/** All of the state, as its tables are. */
function tablesOf({ dump }: { dump(): string }): unknown {
  const [tables, , , clock] = JSON.parse(dump());
  return { tables, clock };
}

test("a restored state is the kept one to the last row, with endpoints and clock", async () => {
  const rig = await startRig();
  await playALittle(rig.local);
  await rig.local.addEndpoint(ENDPOINT);
  await rig.local.snapshot("before");
  const before = tablesOf(rig);
  await rig.local.trigger("clear");
  await rig.local.advance("3d");
  const [endpoint] = await rig.local.endpoints();
  await rig.local.removeEndpoint(endpoint?.id ?? "");
  expect(tablesOf(rig)).not.toEqual(before);
  await rig.local.restore("before");
  expect(tablesOf(rig)).toEqual(before);
});

test("what follows a restored state is what followed it before, ids and all", async () => {
  const rig = await startRig();
  await playALittle(rig.local);
  await rig.local.snapshot("fork");
  const script = async () => {
    const outcomes = [await rig.local.trigger("clear"), await rig.local.trigger("purchase")];
    await rig.local.advance("2d");
    return JSON.stringify([outcomes, await rig.local.events()]);
  };
  const first = await script();
  await rig.local.restore("fork");
  expect(await script()).toBe(first);
  await rig.local.reset({ seed: 5 });
  await rig.local.restore("fork");
  expect(await script()).toBe(first);
});

test("what is due by the later clock is not begun when an earlier state comes back", async () => {
  const rig = await startRig();
  await playALittle(rig.local);
  await rig.local.trigger("link-start");
  await rig.local.trigger("link-complete", { by: "polling" });
  await rig.local.snapshot("polling");
  const before = tablesOf(rig);
  const { nextDue } = await rig.local.readClock();
  expect(nextDue).not.toBeNull();
  await rig.local.advance("3d");
  await rig.local.restore("polling");
  expect(tablesOf(rig)).toEqual(before);
});

test("a second snapshot of a name takes the place of the first", async () => {
  const rig = await startRig();
  await rig.local.snapshot("b");
  await rig.local.snapshot("a");
  await playALittle(rig.local);
  await rig.local.snapshot("b");
  expect(await rig.local.snapshots()).toEqual(["a", "b"]);
  expect((await rig.local.restore("b")).counts.transactions).toBe(1);
  expect((await rig.local.restore("a")).counts.transactions).toBe(0);
});

test("a reset leaves snapshots, and they survive a restart", async () => {
  const dir = await mkdtemp(join(tmpdir(), "txfeed-snapshots-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const options = { data: join(dir, "data"), clock: "frozen", world: "empty" } as const;
  let counts: unknown;
  {
    await using sandbox = await createSandbox(options);
    await playALittle(sandbox);
    ({ counts } = await sandbox.status());
    await sandbox.snapshot("kept");
    await sandbox.reset();
    expect(await sandbox.snapshots()).toEqual(["kept"]);
  }
  await using again = await createSandbox(options);
  expect((await again.readClock()).now).toBe(START);
  expect(await again.snapshots()).toEqual(["kept"]);
  expect((await again.restore("kept")).counts).toEqual(counts);
});

test("a clock that goes with the system's goes on where a state is restored", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  await sandbox.snapshot("now");
  await sandbox.setClock({ mode: "frozen", now: START });
  await sandbox.restore("now");
  const { mode, now } = await sandbox.readClock();
  expect(mode).toBe("real");
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
});
