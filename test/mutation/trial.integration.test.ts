import { expect, test } from "vitest";
import type { Report } from "../../conformance/report/report.ts";
import { mutations } from "../../mutation/mutations/index.ts";
import { runTrial } from "../../mutation/trial.ts";

const failing = ({ requirements }: Report) =>
  requirements
    .filter(({ verdict }) => verdict === "failed" || verdict === "warned")
    .map(({ id }) => id);

test("without a mutation the suite has no findings and no hook fires", async () => {
  const { report, fired, violations } = await runTrial({});
  expect(failing(report)).toEqual([]);
  expect(report.suiteErrors).toEqual([]);
  expect(fired).toBe(0);
  expect(violations).toEqual([]);
}, 60_000);

test("after random scripts the suite has no findings", async () => {
  const scripts = { count: 3, seed: 77 };
  const { report, violations } = await runTrial({ world: "empty", scripts });
  expect(failing(report)).toEqual([]);
  expect(report.suiteErrors).toEqual([]);
  expect(violations).toEqual([]);
}, 60_000);

test("a mutation affects the responses and is caught", async () => {
  const fault = mutations.find(({ id }) => id === "txn/counts-superseded");
  const { report, fired } = await runTrial({ mutation: fault });
  expect(fired).toBeGreaterThan(0);
  expect(failing(report)).toContain("TXN-09");
}, 60_000);
