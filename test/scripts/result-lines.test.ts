import { expect, test } from "vitest";
import {
  type CheckResult,
  failureReason,
  renderResult,
  renderSummary,
} from "../../scripts/result-lines.ts";

const line: CheckResult = {
  ...{
    name: "Bun",
    version: "1.4.5",
    outcome: "passed",
    text: "28 checks passed",
    durationMs: 320,
  },
};
const failed: CheckResult = { ...line, name: "Deno", outcome: "failed", text: "exit status 1" };
const skipped: CheckResult = {
  ...line,
  name: "Chromium",
  outcome: "skipped",
  text: "not installed",
};

test("the columns of all lines are aligned", () => {
  expect([line, failed, skipped].map(renderResult)).toEqual([
    "Bun                    1.4.5            ok         0.3 s  28 checks passed",
    "Deno                   1.4.5            FAILED     0.3 s  exit status 1",
    "Chromium               1.4.5            skipped    0.3 s  not installed",
  ]);
});

test("the totals count skipped results separately", () => {
  expect(renderSummary([line, failed, skipped], 1500)).toBe("1 passed, 1 failed, 1 skipped, 1.5 s");
  expect(renderSummary([skipped], 0)).toBe("0 passed, 1 skipped, 0.0 s");
});

test.each([
  [
    "a Node.js error",
    "file:///a.ts:3\n  if (x) throw new Error(y);\n\nError: it broke\n    at a.ts",
    "Error: it broke",
  ],
  ["a Node.js error with a code", "\nError [ERR_X]: gone\n  at x", "Error [ERR_X]: gone"],
  ["a Bun error", "6 |   throw new Error(y);\n\nerror: it broke", "error: it broke"],
  [
    "a Deno error in colours",
    "\u001b[31merror\u001b[0m: Uncaught Error: x",
    "error: Uncaught Error: x",
  ],
  ["tsc errors", "a.ts(1,2): error TS1: no\nb.ts(1,2): error TS2: no", "a.ts(1,2): error TS1: no"],
  ["text without an error", "first line\nlast line\n", "last line"],
  ["nothing", " \n", "no output"],
])("the reason in %s is one line", (_what, printed, reason) => {
  expect(failureReason(printed)).toBe(reason);
});
