import { expect, test } from "vitest";
import {
  compareReports,
  readReport,
  renderMarkdown,
  renderText,
} from "../../../conformance/cli/compare.ts";
import { styleFor } from "../../../src/cli/terminal.ts";

const PLAIN = styleFor({ isTTY: false }, {});
const NAMES = ["a.json", "b.json"];
const WHY = { reason: "no `data`", hint: "seed it" };

/** A report as JSON, with verdicts of requirements and claims. */
function reportOf(verdicts: Readonly<Record<string, string>>, more: object = {}) {
  const results = Object.entries(verdicts).map(([id, verdict]) => ({
    ...{ id, verdict, ...(["skipped", "undecided"].includes(verdict) && WHY) },
  }));
  const requirements = results
    .filter(({ id }) => !id.includes("."))
    .map((one) => ({ ...one, claims: results.filter(({ id }) => id.startsWith(`${one.id}.`)) }));
  return JSON.stringify({ target: "http://a", profile: "full", requirements, ...more });
}

const compared = (a: string, b: string) =>
  compareReports(readReport(a, "a.json"), readReport(b, "b.json"));

test.each([
  ["passed", "failed", "broken", true],
  ["passed", "warned", "broken", true],
  ["passed", "partly", "undecided", true],
  ["passed", "skipped", "undecided", true],
  ["warned", "failed", "broken", false],
  ["skipped", "failed", "broken", false],
  ["partly", "skipped", "undecided", false],
  ["failed", "warned", "other", false],
  ["failed", "passed", "fixed", false],
  ["skipped", "partly", "decided", false],
  ["partly", "passed", "decided", false],
])("a requirement from %s to %s is %s", (from, to, change, regression) => {
  const { changes, regressions } = compared(reportOf({ A: from }), reportOf({ A: to }));
  expect(changes).toMatchObject([{ id: "A", from, to, change, regression }]);
  expect(regressions).toBe(Number(regression));
});

test("a claim that no longer passes counts, even if its requirement's verdict stays", () => {
  const a = reportOf({ "TXN-12": "failed", "TXN-12.settles": "passed" });
  const b = reportOf({ "TXN-12": "failed", "TXN-12.settles": "undecided" });
  expect(compared(a, b)).toMatchObject({
    regressions: 1,
    changes: [{ id: "TXN-12.settles", change: "undecided", ...WHY }],
  });
  expect(compared(b, a).regressions).toBe(0);
});

test("a requirement that the later report lacks no longer passes; its claims do not count", () => {
  const a = reportOf({ "TXN-12": "passed", "TXN-12.settles": "passed" });
  const b = reportOf({ "TXN-12": "skipped" });
  expect(compared(a, b).changes.map(({ id }) => id)).toEqual(["TXN-12"]);
  expect(compared(a, reportOf({ "TXN-01": "passed" })).changes).toMatchObject([
    { id: "TXN-12", to: "absent", regression: true },
    { id: "TXN-01", from: "absent" },
  ]);
});

test.each([
  ["[]", "it has no target, profile and requirements"],
  ["null", "it has no target, profile and requirements"],
  [reportOf({}), "it has no target, profile and requirements"],
  ['{"target":"a","profile":"full","requirements":[{"id":"X"}]}', "a requirement or a claim has"],
  ['{"target":"a","profile":"full","requirements":[null]}', "a requirement or a claim has"],
])("%s is not a report", (text, why) => {
  expect(() => readReport(text, "x.json")).toThrow(`x.json is not a report: ${why}`);
});

test("text and Markdown list the changes by kind, escaped, with the result", () => {
  const before = reportOf({
    ...{ "TXN-12": "passed", "TXN-12.settles": "passed", "MAT-09": "passed", "TXN-01": "failed" },
  });
  const after = reportOf(
    { "TXN-12": "failed", "TXN-12.settles": "failed", "MAT-09": "skipped", "TXN-01": "passed" },
    { target: "http://b\u001b[31m", profile: "mock", brokenOff: "interrupted" },
  );
  const text = renderText(compared(before, after), NAMES, PLAIN);
  const lines = text.split("\n").map((line) => line.trim());
  expect(lines.filter((line) => /^\d|→|^MAT|^TXN-01|^The/.test(line))).toEqual([
    "compare a.json → b.json",
    "The targets differ: http://a and http://b\\u001b[31m.",
    "The profiles differ: full and mock.",
    "The run of B stopped early: interrupted",
    ...["2 broken", "passed → failed"],
    ...["1 newly undecided", "passed → skipped: no `data` → seed it", "MAT-09"],
    ...["1 fixed", "failed → passed", "TXN-01"],
    "3 requirements and claims that passed no longer do",
  ]);
  expect(text).toMatch(/ TXN-12\.settles {2}A bank posting matched with high confidence settles/);
  const markdown = renderMarkdown(compared(before, after), NAMES);
  expect(markdown).toContain("**❌ 3 requirements and claims that passed no longer do**\n");
  expect(markdown).toContain("### 2 broken\n\n- passed → failed: TXN-12 TXN-12.settles\n");
  expect(markdown).toContain("- passed → skipped: no \\`data\\` → seed it: MAT-09\n");
  expect(compared(after, after)).toMatchObject({ changes: [], regressions: 0 });
});
