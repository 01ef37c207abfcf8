import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { START } from "../test-service.ts";
import { playALittle, startHarness } from "./harness.ts";

const ENDPOINT = { url: "http://127.0.0.1:9/", secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz" };

/** The whole state, by table. */
function tablesOf({ dump }: { dump(): string }): unknown {
  const [tables, , , clock] = JSON.parse(dump());
  return { tables, clock };
}

test("a restored state equals the snapshot, with endpoints and clock", async () => {
  const harness = await startHarness();
  await playALittle(harness.local);
  await harness.local.addEndpoint(ENDPOINT);
  await harness.local.snapshot("before");
  const before = tablesOf(harness);
  await harness.local.trigger("clear");
  await harness.local.advance("3d");
  const [endpoint] = await harness.local.endpoints();
  await harness.local.removeEndpoint(endpoint?.id ?? "");
  expect(tablesOf(harness)).not.toEqual(before);
  await harness.local.restore("before");
  expect(tablesOf(harness)).toEqual(before);
});

test("events after a restore repeat exactly, with the same ids", async () => {
  const harness = await startHarness();
  await playALittle(harness.local);
  await harness.local.snapshot("fork");
  const script = async () => {
    const outcomes = [
      await harness.local.trigger("clear"),
      await harness.local.trigger("purchase"),
    ];
    await harness.local.advance("2d");
    return JSON.stringify([outcomes, await harness.local.events()]);
  };
  const first = await script();
  await harness.local.restore("fork");
  expect(await script()).toBe(first);
  await harness.local.reset({ seed: 5 });
  await harness.local.restore("fork");
  expect(await script()).toBe(first);
});

test("work due by the later clock does not run when an earlier state is restored", async () => {
  const harness = await startHarness();
  await playALittle(harness.local);
  await harness.local.trigger("link-start");
  await harness.local.trigger("link-complete", { by: "polling" });
  await harness.local.snapshot("polling");
  const before = tablesOf(harness);
  const { nextDue } = await harness.local.readClock();
  expect(nextDue).not.toBeNull();
  await harness.local.advance("3d");
  await harness.local.restore("polling");
  expect(tablesOf(harness)).toEqual(before);
});

test("a second snapshot with the same name replaces the first", async () => {
  const harness = await startHarness();
  await harness.local.snapshot("b");
  await harness.local.snapshot("a");
  await playALittle(harness.local);
  await harness.local.snapshot("b");
  expect(await harness.local.snapshots()).toEqual(["a", "b"]);
  expect((await harness.local.restore("b")).counts.transactions).toBe(1);
  expect((await harness.local.restore("a")).counts.transactions).toBe(0);
});

test("snapshots survive a reset and a restart", async () => {
  const dir = tempDir();
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

test("a system clock continues from the restored time", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  await sandbox.snapshot("now");
  await sandbox.setClock({ mode: "frozen", now: START });
  await sandbox.restore("now");
  const { mode, now } = await sandbox.readClock();
  expect(mode).toBe("real");
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
});
