import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { applyBaseline } from "../../../conformance/report/ending.ts";
import { renderJunit } from "../../../conformance/report/junit.ts";
import { viewOf } from "../../../conformance/report/view.ts";
import { broken, exchange, finding, passed, reportOf, skipped } from "./some-report.ts";

const reason = "internal error of the suite, please report it: oops";
const found = (id: "TXN-05" | "TXN-06" | "TXN-18", actual = "500") =>
  finding(id, { path: "/a", expected: 'like "5812"', actual, evidence: [4] });
const known = (requirement: "TXN-01" | "TXN-06") =>
  ({ requirement, reason: "ticket 7", expires: "2026-12-31" }) as const;

const whole = applyBaseline(
  reportOf(
    [
      passed("TXN-01"),
      broken("TXN-05", [found("TXN-05", "<b>&amp;\u0000\u001b]]>\u{1f600}\ud800")]),
      broken("TXN-06", [found("TXN-06")]),
      broken("TXN-18", [found("TXN-18")], "warned"),
      { ...skipped("TXN-19", { reason }), claims: [] },
      { id: "MSG-03", verdict: "skipped", reason: "needs a server", hint: "give one", checks: [] },
      { id: "VER-01", verdict: "excluded", reason: "binds the consumer", checks: [] },
    ],
    {
      traffic: [exchange(4, "/transactions?a=1&b=2")],
      suiteErrors: [{ requirement: "TXN-19", check: "a fact", message: "oops" }],
    },
  ),
  [known("TXN-06"), known("TXN-01")],
  "2026-01-05",
);

test("JUnit has a case for each check with its outcome, and counts them", () => {
  const xml = renderJunit(viewOf(whole));
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({
    ...{ ignoreAttributes: false, attributeNamePrefix: "", htmlEntities: true },
    isArray: (name) => name === "testsuite" || name === "testcase",
  });
  const { testsuite: suites, ...sums } = parser.parse(xml).testsuites;
  expect(sums).toEqual({
    ...{ name: "txfeed conformance", time: "1.234" },
    ...{ tests: "8", failures: "2", errors: "1", skipped: "3" },
  });
  expect(suites.map(({ name, tests }: Record<string, string>) => `${name}: ${tests}`)).toEqual([
    ...["TXN transactions: 5", "MSG messages: 1", "VER versioning: 1", "baseline: 1"],
  ]);
  const cases = suites.flatMap((suite: { testcase: unknown }) => suite.testcase);
  const outcomes = cases.map(({ classname, name, ...outcome }: Record<string, string>) => {
    return [`${classname}: ${name?.split(" ")[0]}`, outcome];
  });
  expect(Object.fromEntries(outcomes)).toMatchObject({
    "conformance.TXN.TXN-01: TXN-01": {},
    "conformance.TXN.TXN-05: TXN-05": {
      failure: {
        message: 'expected like "5812", got <b>&amp;\\u0000\\u001b]]>\u{1f600}\\ud800',
        "#text": expect.stringContaining('curl -i "http://127.0.0.1:1/transactions?a=1&b=2"'),
      },
    },
    "conformance.TXN.TXN-06: TXN-06": {
      skipped: { message: "known failure until 2026-12-31: ticket 7" },
    },
    "conformance.TXN.TXN-18: TXN-18": {
      "system-out": expect.stringMatching(/^warning: expected like "5812", got 500\n/),
    },
    "conformance.TXN.TXN-19: TXN-19": { error: { message: expect.stringContaining("oops") } },
    "conformance.MSG.MSG-03: MSG-03": { skipped: { message: "needs a server; give one" } },
    "conformance.VER.VER-01: VER-01": { skipped: { message: "excluded: binds the consumer" } },
    "conformance.baseline: TXN-01": { failure: { message: expect.stringContaining("remove it") } },
  });
});
