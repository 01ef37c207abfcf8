import { expect, test } from "vitest";
import {
  compareReports,
  readReport,
  renderMarkdown,
  renderText,
} from "../../../conformance/report/compare.ts";
import { styleFor } from "../../../src/cli/terminal.ts";

const PLAIN = styleFor({ isTTY: false }, {});
const NAMES = ["a.json", "b.json"];

/** A report as JSON, with verdicts of requirements and claims. */
function reportOf(verdicts: Readonly<Record<string, string>>, more: object = {}) {
  const results = Object.entries(verdicts).map(([id, verdict]) => ({
    ...{ id, verdict },
    ...(["skipped", "undecided"].includes(verdict) && { reason: "no `data`", hint: "seed it" }),
  }));
  const requirements = results
    .filter(({ id }) => !id.includes("."))
    .map((one) => ({
      ...one,
      claims: results.filter(({ id }) => id.startsWith(`${one.id}.`)),
    }));
  return JSON.stringify({ target: "http://a", profile: "full", requirements, ...more });
}

function compared(a: string, b: string) {
  return compareReports(readReport(a, "a.json"), readReport(b, "b.json"));
}

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
  const { changes, regressions } = compared(
    reportOf({ "TXN-01": from }),
    reportOf({ "TXN-01": to }),
  );
  expect(changes).toMatchObject([{ id: "TXN-01", from, to, change, regression }]);
  expect(regressions).toBe(Number(regression));
});

test("a claim that no longer passes counts, even if its requirement's verdict stays", () => {
  const a = reportOf({ "TXN-12": "failed", "TXN-12.settles": "passed" });
  const b = reportOf({ "TXN-12": "failed", "TXN-12.settles": "undecided" });
  expect(compared(a, b)).toMatchObject({
    regressions: 1,
    changes: [{ id: "TXN-12.settles", change: "undecided", reason: "no `data`", hint: "seed it" }],
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
  ["", "it is not JSON"],
  ["[]", "it has no target, profile and requirements"],
  ["null", "it has no target, profile and requirements"],
  [reportOf({}), "it has no target, profile and requirements"],
  ['{"target":"a","profile":"full","requirements":[{"id":"X"}]}', "a requirement or a claim has"],
  ['{"target":"a","profile":"full","requirements":[null]}', "a requirement or a claim has"],
])("%s is not a report", (text, why) => {
  expect(() => readReport(text, "x.json")).toThrow(`x.json is not a report: ${why}`);
});

const before = reportOf({
  ...{ "TXN-12": "passed", "TXN-12.settles": "passed", "MAT-09": "passed", "TXN-01": "failed" },
});
const after = reportOf(
  { "TXN-12": "failed", "TXN-12.settles": "failed", "MAT-09": "skipped", "TXN-01": "passed" },
  { target: "http://b\u001b[31m", brokenOff: "interrupted" },
);

test("the text lists the changes by kind, with sentences of what broke, and the result last", () => {
  expect(renderText(compared(before, after), NAMES, PLAIN).split("\n")).toEqual([
    "compare a.json → b.json",
    "  The targets differ: http://a and http://b\\u001b[31m.",
    "  The run of B stopped early: interrupted",
    "",
    "  2 broken",
    "    passed → failed",
    "      TXN-12  A bank posting matched with high confidence settles a PENDING transaction: a",
    "              bank-sourced FINL_ADVC message is added that inherits transactionReference,",
    "              approvalCode and network of the authorization, and transaction.updated is sent.",
    "      TXN-12.settles  A bank posting matched with high confidence settles a PENDING transaction.",
    "",
    "  1 newly undecided",
    "    passed → skipped: no `data` → seed it",
    "      MAT-09",
    "",
    "  1 fixed",
    "    failed → passed",
    "      TXN-01",
    "",
    "3 requirements and claims that passed no longer do",
    "",
  ]);
});

test("the Markdown has the same content, escaped", () => {
  const text = renderMarkdown(compared(before, after), NAMES);
  expect(text).toContain("**❌ 3 requirements and claims that passed no longer do**\n");
  expect(text).toContain("### 2 broken\n\n- passed → failed: TXN-12 TXN-12.settles\n");
  expect(text).toContain("- passed → skipped: no \\`data\\` → seed it: MAT-09\n");
});

test("equal reports have no changes", () => {
  const comparison = compared(after, after);
  expect(comparison).toMatchObject({ changes: [], regressions: 0 });
  expect(renderText(comparison, NAMES, PLAIN)).toContain("\neverything that passed still passes\n");
});
