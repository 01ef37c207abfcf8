import { expect, test } from "vitest";
import { verbs } from "../../../conformance/driver.ts";
import sandboxDriver from "../../../conformance/drivers/sandbox.ts";
import { type ExploreOptions, explore, type Target } from "../../../conformance/index.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";

const targetAt = (baseUrl: string, { accounts: [credentials] }: Sandbox) =>
  ({ baseUrl, credentials, profile: "full", driver: sandboxDriver({ baseUrl }) }) satisfies Target;

async function exploring(options: ExploreOptions, without: readonly string[] = []) {
  await using sandbox = await createSandbox({ world: "empty", validate: true });
  const { driver, ...target } = targetAt(sandbox.baseUrl, sandbox);
  const own = Object.fromEntries(
    Object.entries(driver).filter(([verb]) => !without.includes(verb)),
  );
  const report = await explore({ ...target, driver: own }, options);
  expect(sandbox.violations).toEqual([]);
  return report;
}

test("random scripts find nothing in the sandbox and use every row of the state tables", async () => {
  const report = await exploring({ seed: 6, scripts: 60 });
  expect(report.findings).toEqual([]);
  expect(report).toMatchObject({ mode: "random", seed: 6, scripts: 60, failedScripts: 0 });
  expect(report.steps).toBeGreaterThan(300);
  expect(report.missingVerbs).toEqual([]);
  const missing = report.coverage.map(({ table, missing: rows }) => [table, rows]);
  expect(missing).toEqual([
    ["card subscription", []],
    ["transaction", []],
    ["network bulk feed", []],
    ["bank account connection", []],
  ]);
});

test("every script of two steps finds nothing, and equal ones are played once", async () => {
  const report = await exploring({ depth: 2 });
  expect(report.findings).toEqual([]);
  expect(report.mode).toBe("exhaustive");
  expect(report.equalScripts).toBeGreaterThan(50);
  // More scripts of two steps make many more of four, which must take less than 5 minutes.
  expect(report.scripts).toBeGreaterThan(200);
  expect(report.scripts).toBeLessThan(260);
  expect(report.coverage.flatMap(({ missing }) => missing)).toEqual([
    ...["row 6 active", "row 6 deactivated", "row 2"],
  ]);
});

test.each([
  [["settle"]],
  [["snapshot", "restore"]],
  [["snapshot", "restore", "settle", "advance"]],
])("without %s, new resources are used and nothing is found", async (without) => {
  const report = await exploring({ seed: 50, scripts: 15, patienceMs: 5_000 }, without);
  expect(report.findings).toEqual([]);
  expect(report.scripts).toBe(15);
  expect(report.missingVerbs).toEqual(verbs.filter((verb) => without.includes(verb)));
});

test("deliveries that overtake each other are no finding", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  let count = 0;
  await using mutant = await startMutant(sandbox, {
    deliveries: async (delivery, { send, defer }) => {
      count += 1;
      // Deferred deliveries are sent before the sandbox has settled.
      if (count % 7 < 2) defer(delivery);
      else await send(delivery);
    },
  });
  const target = targetAt(mutant.baseUrl, sandbox);
  const report = await explore(target, { seed: 22, scripts: 40 });
  expect(report.findings).toEqual([]);
  expect(mutant.fired()).toBeGreaterThan(50);
});

test("a depth needs a driver with snapshots", async () => {
  await expect(exploring({ depth: 2 }, ["restore"])).rejects.toThrow(
    "--depth needs a driver with the verbs snapshot, restore and settle",
  );
});
