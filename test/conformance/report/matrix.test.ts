import { expect, test } from "vitest";
import { applyBaseline } from "../../../conformance/report/ending.ts";
import { renderMatrix } from "../../../conformance/report/matrix.ts";
import type { RequirementReport } from "../../../conformance/report/report.ts";
import { styleFor } from "../../../src/cli/terminal.ts";
import { broken, delivery, exchange, finding, passed, reportOf } from "./some-report.ts";

const PLAIN = styleFor({ isTTY: false }, {});
const MCC = "/_embedded/transactions/0/acceptor/mcc";

const mcc = [0, 1].map(() =>
  finding("TXN-05", { path: MCC, expected: "string", actual: "number 5812", evidence: [4] }),
);

const some: RequirementReport[] = [
  passed("TXN-01"),
  broken("TXN-05", mcc),
  broken("TXN-18", [finding("TXN-18", { path: "/x", evidence: [5] })], "warned"),
  { id: "MSG-03", verdict: "skipped", reason: "needs a server", hint: "give one", checks: [] },
  { id: "MSG-09", verdict: "skipped", reason: "needs a server", hint: "give one", checks: [] },
  { id: "VER-01", verdict: "excluded", reason: "binds the consumer", checks: [] },
];
const traffic = [exchange(4, "/transactions"), delivery(5, "transaction.updated")];
const report = reportOf(some, { traffic });

const render = (of = report, style = PLAIN) => renderMatrix(of, style);

test("has a row per group, a mark per requirement and the decided count", () => {
  const lines = render().split("\n");
  expect(lines).toContain("  TXN   transactions        ✓ ✗ !   3 of 3");
  expect(lines).toContain("  MSG   messages            · ·     none decided");
  expect(lines).toContain("  VER   versioning          –       none decided");
});

test("what was not decided is grouped by reason, with the hint and the ids", () => {
  expect(render()).toContain(
    "  2 claims not decided: needs a server\n    → give one\n    MSG-03 MSG-09\n",
  );
});

test("unselected requirements are counted and have no row", () => {
  const leftOut: RequirementReport = {
    id: "PAGE-01",
    verdict: "skipped",
    reason: "not selected",
    checks: [],
  };
  const text = render(reportOf([...some, leftOut], { traffic }));
  expect(text).toContain("  1 skipped: not selected\n");
  expect(text).not.toContain("PAGE");
});

test("a cause has requirement, location, expected, actual and a curl line", () => {
  expect(render()).toContain(
    [
      "  2 likely causes of failures in 2 requirements:",
      "",
      "  ✗ TXN-05  acceptor has city, country, mcc and state, all strings.",
      "    GET /transactions /_embedded/transactions/[]/acceptor/mcc   2 findings",
      "    expected  string",
      "    got       number 5812",
      '    curl -i "http://127.0.0.1:1/transactions" -H "authorization: Bearer $TXFEED_TOKEN"',
    ].join("\n"),
  );
  expect(render()).toContain("$TXFEED_… are placeholders for secrets");
});

test("a finding of a delivery names it", () => {
  expect(render()).toContain("  ! TXN-18  ");
  expect(render()).toContain(
    "    delivery no. 5 of the evidence, transaction.updated, received 09:00:01.123\n",
  );
});

test("the summary comes last, facts come first", () => {
  const notes = { files: ["junit in j.xml"], facts: ["requests time out after 10 s"] };
  const lines = renderMatrix(report, PLAIN, notes).split("\n");
  expect(lines[1]).toBe("requests time out after 10 s");
  expect(lines.slice(-3)).toEqual([
    "junit in j.xml",
    "3 checks made 1,234 assertions in 1.2 s",
    "3 of 6 requirements decided: 1 passed, 1 failed, 1 warned, 2 skipped, 1 excluded",
  ]);
});

test("known failures are listed separately and are not causes", () => {
  const known = { requirement: "TXN-05", reason: "ticket 7", expires: "2026-12-31" } as const;
  const text = render(applyBaseline(report, [known], "2026-01-05"));
  expect(text).not.toContain("✗ TXN-05");
  expect(text).toContain(
    "  1 known: fails, as the baseline expects\n    TXN-05  until 2026-12-31: ticket 7",
  );
  expect(text).toContain(" 1 failed (1 known), ");
});

test("a suite error is listed separately", () => {
  const fault = { requirement: "TXN-01", check: "a fact", message: "oops" } as const;
  const text = render(reportOf([passed("TXN-01")], { suiteErrors: [fault] }));
  expect(text).toContain("  1 internal error of the suite, not of the target: please report");
  expect(text).toContain("    TXN-01  a fact\n      oops\n");
  expect(text).toContain("\nundecided: 1 suite error\n");
});

test("an interrupted or undecided run is reported as such", () => {
  const text = render(reportOf(some.slice(3), { brokenOff: "interrupted" }));
  expect(text).toContain("The run stopped early: interrupted. The results so far follow.\n");
  expect(text).toContain("\nundecided: no check reached a verdict\n");
});

test("control characters from the target are removed", () => {
  const nasty = finding("TXN-05", {
    path: "/\u001b[2J",
    actual: "\u001b]0;x\u0007",
    evidence: [4],
  });
  const text = render(reportOf([broken("TXN-05", [nasty])], { traffic }));
  expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test("lines have at most 100 columns, except curl lines", () => {
  const long = finding("TXN-05", { path: MCC, actual: "a word ".repeat(80), evidence: [4] });
  const reason = "a reason of many words ".repeat(9);
  const skipped: RequirementReport = { id: "MSG-03", verdict: "skipped", reason, checks: [] };
  const text = render(reportOf([broken("TXN-05", [long]), skipped], { traffic }));
  const wide = text.split("\n").filter((line) => line.length > 100 && !line.includes("curl"));
  expect(wide).toEqual([]);
});

test("colours appear only on a terminal without NO_COLOR", () => {
  const sequence = "\u001b[";
  expect(render()).not.toContain(sequence);
  expect(render(report, styleFor({ isTTY: true }, { NO_COLOR: "1" }))).not.toContain(sequence);
  expect(render(report, styleFor({ isTTY: true }, {}))).toContain(sequence);
});
