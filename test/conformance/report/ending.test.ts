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
});

test.each<[unknown, string | RegExp]>([
  [{}, "a baseline must be an array of {requirement, reason, expires}"],
  [["TXN-05"], "entry 1 is not an object with requirement, reason, expires"],
  [[{ ...ENTRY, requirement: "TXN-5" }], `there is no requirement "TXN-5"; did you mean "TXN-05"?`],
  [[{ ...ENTRY, reason: " " }], "entry 1 has no reason"],
  [[{ ...ENTRY, expires: undefined }], "entry 1 has no expires"],
  [[{ ...ENTRY, expires: "2026-02-30" }], '"2026-02-30", which is not a day (YYYY-MM-DD)'],
  [[{ ...ENTRY, expiry: "2026-06-30" }], 'entry 1 has an unknown member "expiry"'],
  [[{ ...ENTRY, requirement: "VER-01" }], "entry 1 (VER-01) is excluded: no run decides it"],
  [[ENTRY, ENTRY], "entry 2 lists TXN-05 again, as entry 1"],
  ["- requirement: TXN-05\n", /^it is not JSON: [^\n]+$/],
])("a baseline of %j is refused: %s", (entries, message) => {
  const text = typeof entries === "string" ? entries : JSON.stringify(entries);
  expect(() => parseBaseline(text)).toThrow(message);
});

const traffic = [exchange(1, "/transactions")];
const failing = (id: "TXN-02" | "TXN-05", verdict: "failed" | "warned" = "failed") =>
  broken(id, [finding(id, { evidence: [1] })], verdict);
const open = skipped("TXN-05", { reason: "needs a server" });

test.each<[string, RequirementReport, string, string]>([
  ["fails on its last day", failing("TXN-05"), "2026-06-30", "known, held"],
  ["fails after its last day", failing("TXN-05"), "2026-07-01", "expired, failed"],
  ["warns", failing("TXN-05", "warned"), "2026-01-05", "known, held"],
  ["passes before its last day", passed("TXN-05"), "2026-01-05", "stale, failed"],
  ["passes after its last day", passed("TXN-05"), "2026-07-01", "stale, failed"],
  ["is not decided", open, "2026-07-01", "undecided, held"],
])("a known failure that %s: its state and the run's end", (_, requirement, today, ends) => {
  const report = reportOf([requirement, passed("TXN-01")], { traffic });
  const judged = applyBaseline(report, [ENTRY], today);
  const states = Object.entries(judged.baseline ?? {}).filter(([, own]) => own.length > 0);
  expect([...states.map(([state]) => state), endingOf(judged)].join(", ")).toBe(ends);
  const other = reportOf([requirement, failing("TXN-02")], { traffic });
  expect(endingOf(applyBaseline(other, [ENTRY], today))).toBe("failed");
});

const token = (actual: string, path = "") =>
  broken("AUTH-01", [finding("AUTH-01", { path, actual, evidence: [] })]);
const endpoint = skipped("EP-01", { reason: "no token" });
const unmet = skipped("TXN-12", { reason: "no match came", unmet: true });
const refused = skipped("TXN-12", { reason: "no", refused: true });
const ran = (steps: number, deliveries: number) => ({ activity: { steps, deliveries } });

test.each<[Partial<Report>, RequirementReport[], RegExp]>([
  [ran(1, 0), [], /^Nothing was delivered/],
  [ran(40, 3), [], /^Nearly nothing was delivered: 3 deliveries after 40 steps/],
  [ran(0, 0), [refused], /^The target refused every verb of the driver/],
  [{}, [unmet], /its effect did not occur: no match came/],
])("a run is in doubt, unless something fails: %j", (more, others, headline) => {
  const doubtful = reportOf([passed("TXN-01"), ...others], more);
  expect(headlinesOf(doubtful)).toMatchObject([{ text: expect.stringMatching(headline) }]);
  expect(endingOf(doubtful)).toBe("undecided");
  expect(endingOf(reportOf([failing("TXN-05"), ...others], { ...more, traffic }))).toBe("failed");
});

test.each<[string, RequirementReport[], Partial<Report>]>([
  ["has no receiver", [passed("TXN-01")], {}],
  ["takes no steps", [passed("TXN-01")], ran(0, 0)],
  ["gets a delivery for ten steps", [passed("TXN-01")], ran(40, 4)],
  ["gets a token endpoint that fails", [token("500"), endpoint], {}],
  ["gets a token that is wrong", [token("400", "/expires_in"), endpoint], {}],
  ["gets another token", [token("401"), passed("EP-01")], {}],
])("a run that %s has no headline", (_, requirements, more) => {
  expect(headlinesOf(reportOf(requirements, more))).toEqual([]);
});

test("a headline names the credentials if the target issued no token for them", () => {
  const headline = /^The target issued no token .* TXFEED_CLIENT_SECRET\.$/;
  expect(headlinesOf(reportOf([token("401"), endpoint]))).toMatchObject([
    { text: expect.stringMatching(headline) },
  ]);
});
