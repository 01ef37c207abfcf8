import { expect, test } from "vitest";
import type { RequirementReport, Verdict } from "../../conformance/report.ts";
import { renderMatrix } from "../../conformance/reports/matrix.ts";
import { styleFor } from "../../src/cli/style.ts";

const PLAIN = styleFor({ isTTY: false }, {});

const failure: RequirementReport = {
  id: "TXN-05",
  verdict: "failed",
  checks: [
    {
      name: "acceptor carries city, country, mcc and state",
      verdict: "failed",
      expected: "string",
      actual: "number 5812",
      reproduce: 'curl -i "http://127.0.0.1:1/transactions"',
      findings: [0, 1].map((at) => ({
        requirement: "TXN-05",
        level: "error",
        path: `/_embedded/transactions/${at}/acceptor/mcc`,
        message: `GET /transactions /${at}/acceptor/mcc: expected string, got number 5812`,
        request: { method: "GET", url: "http://127.0.0.1:1/transactions", headers: {} },
      })),
    },
  ],
};

const some: RequirementReport[] = [
  { id: "TXN-01", verdict: "passed", checks: [] },
  failure,
  { id: "TXN-18", verdict: "warned", checks: [] },
  { id: "MSG-03", verdict: "skipped", reason: "needs a server", checks: [] },
  { id: "MSG-09", verdict: "skipped", reason: "needs a server", checks: [] },
  { id: "VER-01", verdict: "excluded", reason: "binds the consumer", checks: [] },
];

const summary: Record<Verdict, number> = {
  passed: 1,
  failed: 1,
  warned: 1,
  skipped: 2,
  excluded: 1,
};

const report = {
  target: "http://127.0.0.1:1",
  profile: "full",
  durationMs: 1234,
  summary,
} as const;

const render = (style = PLAIN) => renderMatrix({ ...report, requirements: some }, style, "r.json");

test("a row a group, a mark a requirement, and how many were decided", () => {
  const lines = render().split("\n");
  expect(lines).toContain("  TXN   transactions        ✓ ✗ !   3 of 3");
  expect(lines).toContain("  MSG   messages            · ·     none decided");
  expect(lines).toContain("  VER   versioning          –       none decided");
});

test("what is skipped stands by its reason, and the ids below", () => {
  expect(render()).toContain("  2 skipped: needs a server\n    MSG-03 MSG-09\n");
});

test("a failure shows the requirement, the finding, how many more, and how to reproduce it", () => {
  expect(render()).toContain(
    [
      "  ✗ TXN-05  acceptor carries city, country, mcc and state, all strings.",
      "    acceptor carries city, country, mcc and state",
      "      GET /transactions /0/acceptor/mcc: expected string, got number 5812 (and 1 more)",
      '      curl -i "http://127.0.0.1:1/transactions"',
    ].join("\n"),
  );
});

test("the sum comes last, and where the report lies before it", () => {
  expect(render().split("\n").slice(-2)).toEqual([
    "report in r.json",
    "3 of 6 requirements decided in 1.2 s: 1 passed, 1 failed, 1 warned, 2 skipped, 1 excluded",
  ]);
});

test("colours come on a terminal only, and not where NO_COLOR is set", () => {
  const sequence = "\u001b[";
  expect(render()).not.toContain(sequence);
  expect(render(styleFor({ isTTY: true }, { NO_COLOR: "1" }))).not.toContain(sequence);
  expect(render(styleFor({ isTTY: true }, {}))).toContain(sequence);
});
