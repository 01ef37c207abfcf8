import { expect, test } from "vitest";
import { verbs } from "../../../conformance/driver.ts";
import sandboxDriver from "../../../conformance/drivers/sandbox.ts";
import { type ExploreOptions, explore, type Target } from "../../../conformance/index.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";

function targetOf({ baseUrl, accounts: [credentials] }: Sandbox): Target & { driver: object } {
  return { baseUrl, credentials, profile: "full", driver: sandboxDriver({ baseUrl }) };
}

async function exploring(options: ExploreOptions, without: readonly string[] = []) {
  await using sandbox = await createSandbox({ world: "empty", validate: true });
  const { driver, ...target } = targetOf(sandbox);
  const own = Object.fromEntries(
    Object.entries(driver).filter(([verb]) => !without.includes(verb)),
  );
  const report = await explore({ ...target, driver: own }, options);
  expect(sandbox.violations).toEqual([]);
  return report;
}

test("random scripts find nothing in the sandbox and use every state table", async () => {
  const report = await exploring({ seed: 11, scripts: 60 });
  expect(report.findings).toEqual([]);
  expect(report).toMatchObject({ mode: "random", seed: 11, scripts: 60, failedScripts: 0 });
  expect(report.steps).toBeGreaterThan(300);
  expect(report.missingVerbs).toEqual([]);
  const covered = report.coverage.map(({ table, cases }) => [table, cases.covered > 0]);
  expect(covered).toEqual([
    ["card subscription", true],
    ["transaction", true],
    ["network bulk feed", true],
    ["bank account connection", true],
  ]);
});

test("every script of two steps finds nothing, and equal ones are played once", async () => {
  const report = await exploring({ depth: 2 });
  expect(report.findings).toEqual([]);
  expect(report.mode).toBe("exhaustive");
  expect(report.equalScripts).toBeGreaterThan(50);
  expect(report.scripts).toBeGreaterThan(200);
});

test("without snapshots and without settle, new resources are used and nothing is found", async () => {
  const without = ["snapshot", "restore", "settle", "advance"];
  const report = await exploring({ seed: 2, scripts: 12, patienceMs: 2_000 }, without);
  expect(report.findings).toEqual([]);
  expect(report.scripts).toBe(12);
  expect(report.missingVerbs).toEqual(verbs.filter((verb) => without.includes(verb)));
});

test("a depth needs a driver with snapshots", async () => {
  await expect(exploring({ depth: 2 }, ["restore"])).rejects.toThrow(
    "--depth needs a driver with the verbs snapshot, restore and settle",
  );
});
