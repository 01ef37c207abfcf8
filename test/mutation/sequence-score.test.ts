import { expect, test } from "vitest";
import { sequenceFaults } from "../../mutation/sequences/faults.ts";
import type { SequenceFault } from "../../mutation/sequences/operations.ts";
import { scoreOf } from "../../mutation/sequences/run.ts";
import type { SequenceResult } from "../../mutation/sequences/worker.ts";

const fault = sequenceFaults.find(({ requirement }) => requirement === "BAC-03") as SequenceFault;
const nothing: SequenceResult = {
  ...{ nr: 0, fired: 3, scripts: 9, findings: [], durationMs: 1 },
};
const finding = (requirement: string, ...others: string[]) => {
  return { requirement, others, steps: 4, message: "" };
};

test.each([
  ["first", { findings: [finding("BAC-03", "BAC-04")] }],
  ["named", { findings: [finding("BAC-04", "BAC-03")] }],
  ["caught", { findings: [finding("BAC-04")] }],
  ["missed", {}],
  ["idle", { fired: 0 }],
  ["error", { error: "the run hung or its process ended" }],
] as const)("a fault counts as %s by its finding", (outcome, result) => {
  expect(scoreOf(fault, { ...nothing, ...result }).outcome).toBe(outcome);
});
