import { expect, test } from "vitest";
import { applyBaseline } from "../../../conformance/report/ending.ts";
import { renderMarkdown } from "../../../conformance/report/markdown.ts";
import type { RequirementReport } from "../../../conformance/report/report.ts";
import { broken, exchange, finding, passed, reportOf } from "./some-report.ts";

const traffic = [exchange(4, "/transactions")];
const of = { path: "/acceptor/mcc", expected: "string", actual: "number `5` | x", evidence: [4] };
const some: RequirementReport[] = [
  passed("TXN-01"),
  broken("TXN-05", [finding("TXN-05", of)]),
  {
    id: "MSG-03",
    verdict: "skipped",
    reason: "no <b>message</b> of @team #1 [x](y) | *z*",
    hint: "give one",
    checks: [],
  },
  { id: "VER-01", verdict: "excluded", reason: "binds the consumer", checks: [] },
];
const report = reportOf(some, { traffic });

test("starts with the summary, then has a row per group", () => {
  const lines = renderMarkdown(report).split("\n");
  expect(lines[0]).toBe("## Conformance of `http://127.0.0.1:1`");
  expect(lines[2]).toBe(
    "**❌ failed**: 2 of 4 requirements decided, 1 passed, 1 failed, 0 warned, 1 skipped, " +
      "1 excluded (profile full, 3 checks, 1,234 assertions, 1.2 s)",
  );
  expect(lines).toContain(
    "| group | decided | passed | failed | warned | partly | skipped | excluded |",
  );
  expect(lines).toContain("| TXN transactions | 2 of 2 | 1 | 1 |  |  |  |  |");
  expect(lines).toContain("| MSG messages | 0 of 1 |  |  |  |  | 1 |  |");
});

test("a cause has its requirement, the actual value and a curl line as code", () => {
  const text = renderMarkdown(report);
  expect(text).toContain("- ❌ **TXN-05** acceptor has city, country, mcc and state");
  expect(text).toContain(
    "  - `` somewhere /acceptor/mcc: expected string, got number `5` | x `` (1 finding)\n",
  );
  expect(text).toContain('  - `curl -i "http://127.0.0.1:1/transactions"');
});

test("text from the target is escaped", () => {
  expect(renderMarkdown(report)).toContain(
    "- no &#60;b&#62;message&#60;/b&#62; of &#64;team &#35;1 \\[x\\](y) \\| \\*z\\* → give one: MSG-03\n",
  );
});

test("a run without verdicts is undecided", () => {
  const text = renderMarkdown(reportOf(some.slice(2), { brokenOff: "interrupted" }));
  expect(text).toContain("**⚠️ undecided: no check reached a verdict**");
  expect(text).toContain("> The run stopped early: interrupted\n");
  expect(text).not.toContain("✅");
});

test("known failures have their own list and do not fail the run", () => {
  const known = { requirement: "TXN-05", reason: "ticket 7", expires: "2026-12-31" } as const;
  const text = renderMarkdown(applyBaseline(report, [known], "2026-01-05"));
  expect(text).toContain("**✅ nothing fails**");
  expect(text).toContain("- fails, as expected: **TXN-05**, until 2026-12-31: ticket 7\n");
  expect(text).not.toContain("### Failures");
});

test("suite errors have their own list", () => {
  const fault = { requirement: "TXN-01", check: "a fact", message: "oops" } as const;
  const text = renderMarkdown(reportOf([passed("TXN-01")], { suiteErrors: [fault] }));
  expect(text).toContain("**⚠️ undecided: 1 suite error**");
  expect(text).toContain("- TXN-01 a fact: `oops`\n");
});
