import { expect, test } from "vitest";
import type { Report, RequirementReport, Verdict } from "../../../conformance/index.ts";
import { renderHtml } from "../../../conformance/report/html/index.ts";
import { type RequirementId, requirementIds } from "../../../generated/requirements.ts";

/** A report in which requirements have these verdicts and all others were skipped. */
function reportOf(verdicts: Partial<Record<RequirementId, Verdict>>, more: Partial<Report> = {}) {
  const requirements = requirementIds.map((id): RequirementReport => {
    const verdict = verdicts[id] ?? "skipped";
    const reason = verdict === "skipped" ? { reason: "the list is empty", hint: "seed it" } : {};
    return { id, verdict, ...reason, checks: [] };
  });
  const count = (wanted: Verdict) =>
    requirements.filter(({ verdict }) => verdict === wanted).length;
  const report: Report = {
    target: "https://feed.example",
    profile: "full",
    startedAt: "2025-03-04T12:30:16.120Z",
    durationMs: 4_210,
    summary: {
      passed: count("passed"),
      failed: count("failed"),
      warned: count("warned"),
      partly: count("partly"),
      skipped: count("skipped"),
      excluded: count("excluded"),
    },
    claims: { total: 0, decided: 0, failed: 0, situations: { total: 0, met: 0 } },
    checks: 12,
    assertions: 1_234,
    requirements,
    causes: [],
    suiteErrors: [],
    traffic: [],
    ...more,
  };
  return renderHtml(report);
}

/** The text of a page without its markup. */
const textOf = (html: string) =>
  html
    .replace(/<(style|script)>.*?<\/\1>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replace(/\s+/g, " ");

const failure = { requirement: "TXN-01", reason: "ticket 12", expires: "2025-04-01" } as const;
const baseline = { known: [], stale: [], expired: [], undecided: [] };

test.each<[string, string]>([
  ["Every decided requirement passed", reportOf({ "TXN-01": "passed" })],
  ["Nothing failed; 1 derived requirement warned", reportOf({ "TXN-18": "warned" })],
  ["2 requirements failed", reportOf({ "TXN-01": "failed", "TXN-02": "failed" })],
  [
    "1 requirement failed, 1 of them known",
    reportOf({ "TXN-01": "failed" }, { baseline: { ...baseline, known: [failure] } }),
  ],
  ["Undecided: no check reached a verdict", reportOf({})],
])("the heading is: %s", (sentence, html) => {
  expect(html).toContain(`<h2 id="sum">${sentence}</h2>`);
});

test("shows target, profile, time, duration and decided requirements", () => {
  const text = textOf(reportOf({ "TXN-01": "passed" }));
  expect(text).toContain("https://feed.example Profile full, 2025-03-04 12:30:16 UTC ,");
  expect(text).toContain("12 checks with 1,234 assertions in 4.2 s");
  expect(text).toContain("1 of 143 requirements decided");
});

test("shows skipped requirements with the reason and the hint", () => {
  const text = textOf(reportOf({ "TXN-01": "passed" }));
  expect(text).toContain("142 claims : the list is empty To decide seed it Open CONV-01 CONV-02");
});

test("shows interruptions, suite errors and known failures", () => {
  const text = textOf(
    reportOf(
      { "TXN-01": "failed" },
      {
        brokenOff: "interrupted",
        suiteErrors: [
          { requirement: "TXN-02", check: "a card id is null", message: "x is undefined" },
        ],
        baseline: {
          known: [failure],
          stale: [{ ...failure, requirement: "TXN-03" }],
          expired: [{ ...failure, requirement: "TXN-04" }],
          undecided: [{ ...failure, requirement: "TXN-05" }],
        },
      },
    ),
  );
  for (const line of [
    "The run stopped early: interrupted",
    "1 internal error of the suite, not of the target TXN-02 a card id is null: x is undefined",
    "Known failures: they do not fail the run TXN-01 until 2025-04-01: ticket 12",
    "Known failures that pass now: remove them TXN-03 until",
    "Known failures that have expired TXN-04 until",
    "Known failures not decided in this run TXN-05 until",
  ]) {
    expect(text).toContain(line);
  }
});

test("a report without findings has no findings section", () => {
  const html = reportOf({ "TXN-01": "passed" });
  for (const id of ["causes", "deliveries", "traffic"]) expect(html).not.toContain(`id="${id}"`);
});
