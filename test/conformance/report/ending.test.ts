import { expect, test } from "vitest";
import {
  applyBaseline,
  endingOf,
  headlinesOf,
  parseBaseline,
} from "../../../conformance/report/ending.ts";
import type { Report, RequirementReport } from "../../../conformance/report/report.ts";
import { broken, exchange, finding, passed, reportOf, skipped } from "./some-report.ts";

const ENTRY = { requirement: "TXN-05", reason: "ticket 7", expires: "2026-06-30" } as const;

test("a baseline is read, also with a byte order mark", () => {
  expect(parseBaseline(`\ufeff${JSON.stringify([ENTRY])}`)).toEqual([ENTRY]);
  expect(parseBaseline("[]")).toEqual([]);
});

test.each<[unknown, string]>([
  [{}, "a baseline must be an array of {requirement, reason, expires}"],
  [["TXN-05"], "entry 1 is not an object with requirement, reason, expires"],
  [[{ ...ENTRY, requirement: undefined }], "entry 1 has no requirement"],
  [
    [{ ...ENTRY, requirement: "TXN-5" }],
    `entry 1: there is no requirement "TXN-5"; did you mean "TXN-05"?`,
  ],
  [[{ ...ENTRY, requirement: "nothing" }], 'entry 1: there is no requirement "nothing"'],
  [[{ ...ENTRY, reason: undefined }], "entry 1 has no reason"],
  [[{ ...ENTRY, reason: " " }], "entry 1 has no reason"],
  [[{ ...ENTRY, expires: undefined }], "entry 1 has no expires"],
  [[{ ...ENTRY, expires: "30.6.2026" }], 'expires on "30.6.2026", which is not a day (YYYY-MM-DD)'],
  [
    [{ ...ENTRY, expires: "2026-02-30" }],
    'expires on "2026-02-30", which is not a day (YYYY-MM-DD)',
  ],
  [[{ ...ENTRY, expiry: "2026-06-30" }], 'entry 1 has an unknown member "expiry"'],
  [[{ ...ENTRY, requirement: "VER-01" }], "entry 1 (VER-01) is excluded: no run decides it"],
  [[ENTRY, ENTRY], "entry 2 lists TXN-05 again, as entry 1"],
])("a baseline of %j is refused: %s", (entries, message) => {
  expect(() => parseBaseline(JSON.stringify(entries))).toThrow(message);
});

test("a baseline that is not JSON is refused in one line", () => {
  expect(() => parseBaseline("- requirement: TXN-05\n")).toThrow(/^it is not JSON: [^\n]+$/);
});

const traffic = [exchange(1, "/transactions")];
const failing = broken("TXN-05", [finding("TXN-05", { evidence: [1] })]);
const open = skipped("TXN-05", { reason: "needs a server" });

/** Applies the baseline on a day. Returns the entry's status and the run's outcome. */
function fateOf(requirement: RequirementReport, today: string) {
  const report = applyBaseline(
    reportOf([requirement, passed("TXN-01")], { traffic }),
    [ENTRY],
    today,
  );
  const fates = Object.entries(report.baseline ?? {}).filter(([, entries]) => entries.length > 0);
  return [...fates.map(([fate]) => fate), endingOf(report)];
}

test("a known failure does not fail the run through its last day", () => {
  expect(fateOf(failing, "2026-01-05")).toEqual(["known", "held"]);
  expect(fateOf(failing, "2026-06-30")).toEqual(["known", "held"]);
});

test("a known failure fails the run after its last day", () => {
  expect(fateOf(failing, "2026-07-01")).toEqual(["expired", "failed"]);
});

test("a known failure that passes fails the run on any day", () => {
  expect(fateOf(passed("TXN-05"), "2026-01-05")).toEqual(["stale", "failed"]);
  expect(fateOf(passed("TXN-05"), "2026-07-01")).toEqual(["stale", "failed"]);
});

test("requirements that a run did not decide have no status in the baseline", () => {
  expect(fateOf(open, "2026-01-05")).toEqual(["undecided", "held"]);
  expect(fateOf(open, "2026-07-01")).toEqual(["undecided", "held"]);
});

test("a warning can be known and is not stale", () => {
  const warned = broken("TXN-05", [finding("TXN-05", { evidence: [1] })], "warned");
  expect(fateOf(warned, "2026-01-05")).toEqual(["known", "held"]);
});

test("a failure that is not in the baseline fails the run", () => {
  const other = broken("TXN-02", [finding("TXN-02", { evidence: [1] })]);
  const report = applyBaseline(reportOf([failing, other], { traffic }), [ENTRY], "2026-01-05");
  expect(endingOf(report)).toBe("failed");
  expect(report.requirements).toEqual([failing, other]);
});

test.each<[string, Partial<Report>, RequirementReport[], RegExp]>([
  [
    "nothing was delivered",
    { activity: { steps: 1, deliveries: 0 } },
    [],
    /^Nothing was delivered/,
  ],
  [
    "nearly nothing was delivered",
    { activity: { steps: 40, deliveries: 3 } },
    [],
    /^Nearly nothing was delivered: 3 deliveries after 40 steps/,
  ],
  [
    "every verb was refused",
    { activity: { steps: 0, deliveries: 0 } },
    [skipped("TXN-12", { reason: "no", refused: true })],
    /^The target refused every verb of the driver/,
  ],
  [
    "a verb had no effect",
    {},
    [skipped("TXN-12", { reason: "no match came", unmet: true })],
    /its effect did not occur: no match came/,
  ],
])("%s: the run is undecided, unless something fails", (_, more, others, headline) => {
  const doubtful = reportOf([passed("TXN-01"), ...others], more);
  expect(headlinesOf(doubtful)).toMatchObject([{ text: expect.stringMatching(headline) }]);
  expect(endingOf(doubtful)).toBe("undecided");
  expect(endingOf(reportOf([failing, ...others], { ...more, traffic }))).toBe("failed");
});

test.each<[string, Report["activity"]]>([
  ["no receiver", undefined],
  ["no steps", { steps: 0, deliveries: 0 }],
  ["a delivery for ten steps", { steps: 40, deliveries: 4 }],
])("a run with %s has no headline", (_, activity) => {
  const quiet = reportOf([passed("TXN-01")], { ...(activity && { activity }) });
  expect(headlinesOf(quiet)).toEqual([]);
  expect(endingOf(quiet)).toBe("held");
});

test("a headline names the credentials if the target issued no token for them", () => {
  const token = (actual: string, path = "") =>
    broken("AUTH-01", [finding("AUTH-01", { path, actual, evidence: [] })]);
  const endpoint = skipped("EP-01", { reason: "no token" });
  expect(headlinesOf(reportOf([token("401"), endpoint]))).toMatchObject([
    { text: expect.stringMatching(/^The target issued no token .* TXFEED_CLIENT_SECRET\.$/) },
  ]);
  expect(headlinesOf(reportOf([token("500"), endpoint]))).toEqual([]);
  expect(headlinesOf(reportOf([token("400", "/expires_in"), endpoint]))).toEqual([]);
  expect(headlinesOf(reportOf([token("401"), passed("EP-01")]))).toEqual([]);
});
