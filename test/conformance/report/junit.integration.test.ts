import { execFileSync, spawnSync } from "node:child_process";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { applyBaseline } from "../../../conformance/report/ending.ts";
import { renderJunit } from "../../../conformance/report/junit.ts";
import type { Report, RequirementReport } from "../../../conformance/report/report.ts";
import { viewOf } from "../../../conformance/report/view.ts";
import { broken, exchange, finding, passed, reportOf } from "./some-report.ts";

const traffic = [exchange(4, "/transactions?a=1&b=2")];
const nasty = finding("TXN-05", {
  path: "/acceptor/mcc",
  expected: 'a string like "5812"',
  actual: "<b>&amp;\u0000\u001b]]>\u{1f600}\ud800",
  evidence: [4],
});
const some: RequirementReport[] = [
  passed("TXN-01"),
  broken("TXN-05", [nasty]),
  broken("TXN-18", [finding("TXN-18", { evidence: [4] })], "warned"),
  { id: "MSG-03", verdict: "skipped", reason: "needs a server", hint: "give one", checks: [] },
  { id: "VER-01", verdict: "excluded", reason: "binds the consumer", checks: [] },
];
const report = reportOf(some, { traffic });

/** The XML, parsed by an independent parser. */
function parsed(of: Report) {
  const xml = renderJunit(viewOf(of));
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    htmlEntities: true,
    isArray: (name) => name === "testsuite" || name === "testcase",
  });
  return parser.parse(xml).testsuites;
}

/** Each case's class, name and result. */
function casesOf(of: Report): Record<string, unknown> {
  const cases = parsed(of).testsuite.flatMap((suite: { testcase: unknown }) => suite.testcase);
  return Object.fromEntries(
    cases.map(({ classname, name, ...rest }: Record<string, string>) => [
      `${classname}: ${name}`,
      rest,
    ]),
  );
}

test("has a suite per group, a case per check and correct counts", () => {
  const { name, tests, failures, errors, skipped, time, testsuite } = parsed(report);
  expect({ name, tests, failures, errors, skipped, time }).toEqual({
    ...{ name: "txfeed conformance", tests: "5", failures: "1", errors: "0", skipped: "2" },
    time: "1.234",
  });
  expect(
    testsuite.map((suite: { name: string; tests: string }) => [suite.name, suite.tests]),
  ).toEqual([
    ["TXN transactions", "3"],
    ["MSG messages", "1"],
    ["VER versioning", "1"],
  ]);
});

test("a failure has expected, actual and a curl line", () => {
  const failed = casesOf(report)["conformance.TXN.TXN-05: TXN-05 a fact"] as {
    failure: { message: string; "#text": string };
  };
  expect(failed.failure.message).toBe(
    'expected a string like "5812", got <b>&amp;\\u0000\\u001b]]>\u{1f600}\\ud800',
  );
  expect(failed.failure["#text"]).toContain('curl -i "http://127.0.0.1:1/transactions?a=1&b=2"');
});

test("a pass is empty, a warning is output, a skip has its reason", () => {
  const cases = casesOf(report);
  expect(cases["conformance.TXN.TXN-01: TXN-01 a fact"]).toEqual({});
  expect(cases["conformance.TXN.TXN-18: TXN-18 a fact"]).toEqual({
    "system-out": expect.stringMatching(/^warning: expected 200, got 500\n/),
  });
  const skips = Object.values(cases).filter((one) => Object.hasOwn(one as object, "skipped"));
  expect(skips).toEqual([
    { skipped: { message: "needs a server; give one" } },
    { skipped: { message: "excluded: binds the consumer" } },
  ]);
});

test("a known failure is skipped, a stale baseline entry fails", () => {
  const known = { requirement: "TXN-05", reason: "ticket 7", expires: "2026-12-31" } as const;
  const stale = { requirement: "TXN-01", reason: "ticket 8", expires: "2026-12-31" } as const;
  const cases = casesOf(applyBaseline(report, [known, stale], "2026-01-05"));
  expect(cases["conformance.TXN.TXN-05: TXN-05 a fact"]).toMatchObject({
    skipped: { message: "known failure until 2026-12-31: ticket 7" },
  });
  expect(cases["conformance.baseline: TXN-01"]).toEqual({
    failure: { message: "a known failure that passes: remove it from the baseline" },
  });
});

test("a suite error is an error, not a failure", () => {
  const reason = "internal error of the suite, please report it: oops";
  const skipped: RequirementReport = {
    id: "TXN-01",
    verdict: "skipped",
    reason,
    checks: [{ name: "a fact", verdict: "skipped", reason }],
  };
  const fault = { requirement: "TXN-01", check: "a fact", message: "oops" } as const;
  expect(casesOf(reportOf([skipped], { suiteErrors: [fault] }))).toEqual({
    "conformance.TXN.TXN-01: TXN-01 a fact": {
      error: { message: "an internal error of the suite, not of the target: oops" },
    },
  });
});

const hasXmllint = spawnSync("xmllint", ["--version"]).status === 0;

test.runIf(hasXmllint)("xmllint accepts it", () => {
  execFileSync("xmllint", ["--noout", "-"], { input: renderJunit(viewOf(report)) });
});
