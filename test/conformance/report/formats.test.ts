import { expect, test } from "vitest";
import { applyBaseline } from "../../../conformance/report/ending.ts";
import { renderHtml } from "../../../conformance/report/html/index.ts";
import { renderJunit } from "../../../conformance/report/junit.ts";
import { renderMarkdown } from "../../../conformance/report/markdown.ts";
import type { Report, RequirementReport } from "../../../conformance/report/report.ts";
import { renderText } from "../../../conformance/report/text.ts";
import { viewOf } from "../../../conformance/report/view.ts";
import { type RequirementId, requirementIds } from "../../../generated/requirements.ts";
import { styleFor } from "../../../src/cli/terminal.ts";
import { broken, delivery, exchange, finding, passed, reportOf, skipped } from "./some-report.ts";

const PLAIN = styleFor({ isTTY: false }, {});
const MCC = "/_embedded/transactions/0/acceptor/mcc";

const mcc = [0, 1].map(() =>
  finding("TXN-05", { path: MCC, expected: "string", actual: "number 5812", evidence: [4] }),
);
const driver = { reason: "no driver", hint: "give --driver MODULE" };
const some: RequirementReport[] = [
  passed("TXN-01"),
  broken("TXN-05", mcc),
  broken("TXN-18", [finding("TXN-18", { path: "/x", evidence: [5] })], "warned"),
  {
    ...passed("TXN-12"),
    claims: [
      {
        ...{ id: "TXN-12.settles", verdict: "passed" },
        situations: [
          { name: "alone", met: true },
          { name: "delivered", met: false, reason: "no case of it occurred" },
        ],
      },
    ],
  },
  skipped("MAT-05", { ...driver, missing: ["verb:clearSca", "deliveries"] }),
  skipped("MAT-09", { ...driver, missing: ["deliveries"] }),
  { id: "PAGE-01", verdict: "skipped", reason: "not selected", checks: [] },
  { id: "VER-01", verdict: "excluded", reason: "binds the consumer", checks: [] },
];
const traffic = [exchange(4, "/transactions"), delivery(5, "transaction.updated")];
const report = reportOf(some, {
  traffic,
  brokenOff: "interrupted",
  suiteErrors: [{ requirement: "TXN-01", check: "a fact", message: "oops" }],
});

const formats: Readonly<Record<string, (report: Report) => string>> = {
  text: (of) => renderText(viewOf(of), PLAIN, { isVerbose: true }),
  Markdown: (of) => renderMarkdown(viewOf(of)),
  HTML: (of) => renderHtml(viewOf(of)),
  JUnit: (of) => renderJunit(viewOf(of)),
};
const all = Object.entries(formats);
const withCauses = all.filter(([name]) => name !== "JUnit");

/** The text of a format and of its attributes, without markup and line ends. */
const textOf = (rendered: string) =>
  rendered
    .replace(/<(style|script)>.*?<\/\1>/gs, "")
    .replace(/<[a-z/][^>]*>/g, (tag) => {
      const values = tag.matchAll(/ (?:message|name|value)="([^"]*)"/g);
      return ` ${[...values].map(([, value]) => value).join(" ")} `;
    })
    .replaceAll("&#39;", "'")
    .replaceAll("\\", "")
    .replace(/[\s*`]+/g, " ");

test.each(all)("%s shows a failure, what is undecided, and what qualifies the run", (_, render) => {
  const text = textOf(render(report));
  const parts = ["TXN-05", "string", "number 5812", "interrupted", "oops", "no driver"];
  for (const part of [...parts, "give --driver MODULE"]) expect(text).toContain(part);
});

test.each(withCauses)("%s shows causes with places, evidence and counts", (_, render) => {
  const text = textOf(render(report));
  expect(text).toContain("GET /transactions /_embedded/transactions/[]/acceptor/mcc");
  expect(text).toContain("2 findings");
  expect(text).toMatch(/curl -i |exchange 4/);
  expect(text).toMatch(/delivery no\. 5 of the evidence, transaction\.updated|delivery 5/);
});

test.each(withCauses)("%s shows claims by reason, and what would decide more", (_, render) => {
  const text = textOf(render(report));
  const { claims: both = [] } = some[5] as RequirementReport;
  const { claims: other = [] } = some[4] as RequirementReport;
  const gain = `+${both.length + other.length} claims (alone: +${both.length})`;
  expect(text).toMatch(/give --webhook-listen ?:? /);
  expect(text).toContain(gain);
  expect(text).toMatch(/implement clearSca ?:? \+\d+ claims \(only with others\)/);
  expect(text).toMatch(/MAT-05 MAT-09/);
  expect(text).toContain("no case of it occurred");
  expect(text).toMatch(/TXN-12\.settles:? delivered/);
});

test.each(all)("%s has the number of claims", (_, render) => {
  const { decided, total, failed } = report.claims;
  const sum = `${decided} of ${total} claims decided, ${failed} failed, ${total - decided} undecided`;
  expect(textOf(render(report))).toContain(sum);
});

test.each(all)("%s shows the state of known failures, which do not fail the run", (_, render) => {
  const entry = { reason: "ticket 7", expires: "2026-12-31" };
  const baseline = (["TXN-05", "TXN-01"] as const).map((id) => ({ requirement: id, ...entry }));
  const known = applyBaseline(reportOf(some, { traffic }), baseline.slice(0, 1), "2026-01-05");
  expect(viewOf(known)).toMatchObject({ ending: "held", result: "nothing fails the run" });
  expect(textOf(render(known))).toContain("until 2026-12-31: ticket 7");
  const stale = applyBaseline(reportOf(some, { traffic }), baseline, "2026-01-05");
  expect(viewOf(stale)).toMatchObject({
    ending: "failed",
    result: "failed: the baseline is outdated",
  });
  expect(textOf(render(stale))).toMatch(/known failures? that passe?s?/);
});

test.each(all)("%s escapes text from the target", (_, render) => {
  const nasty = "\u001b[2J<script>`|*x*`\u202e\u0007";
  const one = broken("TXN-05", [
    finding("TXN-05", { path: `/${nasty}`, actual: nasty, evidence: [4] }),
  ]);
  const text = render(
    reportOf([one, skipped("MAT-05", { reason: nasty })], {
      traffic,
      target: nasty,
      brokenOff: nasty,
    }),
  );
  expect(text.replace(/<script>const open = .*<\/script>/s, "").replaceAll("\n", "")).not.toMatch(
    /\p{Cc}|\u202e/u,
  );
  if (render !== formats["text"]) expect(text).not.toMatch(/(?<!`[^\n]*)<script>(?!const open)/);
});

test.each<[string, RequirementReport[], Partial<Report>]>([
  ["nothing fails", [passed("TXN-01")], {}],
  ["failed: TXN-05", [passed("TXN-01"), broken("TXN-05", mcc)], {}],
  [
    "failed: TXN-05; in doubt: 1 suite error",
    [broken("TXN-05", mcc)],
    { suiteErrors: report.suiteErrors },
  ],
  ["undecided: 1 suite error", [passed("TXN-01")], { suiteErrors: report.suiteErrors }],
  ["undecided: no check reached a verdict", [skipped("MAT-05", driver)], {}],
  [
    "undecided: the target did not do what the driver asked for",
    [passed("TXN-01")],
    { activity: { steps: 9, deliveries: 0 } },
  ],
])("the result is %j", (result, requirements, more) => {
  expect(viewOf(reportOf(requirements, { traffic, ...more })).result).toBe(result);
});

const text = (of: Report, options = {}) => renderText(viewOf(of), PLAIN, options).split("\n");

test("the text begins with facts and ends with the number of claims", () => {
  const lines = text(reportOf([passed("ERR-01")]), {
    files: ["junit in j.xml"],
    facts: ["a fact"],
  });
  expect(lines).toEqual([
    "conformance of http://127.0.0.1:1, profile full",
    "a fact",
    "",
    "  ERR   errors              ✓   2 of 2 claims",
    "",
    "  ✓ passed",
    "",
    "junit in j.xml",
    "3 checks made 1,234 assertions in 1.2 s",
    "2 of 2 claims decided, 0 failed, 0 undecided",
  ]);
});

test("the text of a run without failures has less than 40 lines, unless it is verbose", () => {
  const reasons = (id: RequirementId, at: number) =>
    skipped(id, { reason: `reason ${at}`, missing: [`verb:v${at}` as "verb:settle"] });
  const half = requirementIds.map((id, at) => (at % 2 === 0 ? passed(id) : reasons(id, at)));
  expect(text(reportOf(half)).length).toBeLessThan(40);
  expect(text(reportOf(half), { isVerbose: true }).length).toBeGreaterThan(100);
});

test("lines have at most 100 columns, except curl lines", () => {
  const long = finding("TXN-05", { path: MCC, actual: "a word ".repeat(80), evidence: [4] });
  const open = skipped("MAT-05", { reason: "a reason of many words ".repeat(9) });
  const lines = text(reportOf([broken("TXN-05", [long]), open], { traffic }), { isVerbose: true });
  expect(lines.filter((line) => line.length > 100 && !line.includes("curl"))).toEqual([]);
});

test("colours appear only on a terminal without NO_COLOR", () => {
  const styled = (isTTY: boolean, env = {}) => renderText(viewOf(report), styleFor({ isTTY }, env));
  expect(styled(false)).not.toContain("\u001b[");
  expect(styled(true, { NO_COLOR: "1" })).not.toContain("\u001b[");
  expect(styled(true)).toContain("\u001b[");
});

test("Markdown is shorter than a comment on GitHub, and says what it leaves out", () => {
  const many = requirementIds.map((id) => skipped(id, { reason: `${id}${"<".repeat(300)}` }));
  const long = renderMarkdown(viewOf(reportOf([broken("TXN-05", mcc), ...many], { traffic })));
  expect(long.length).toBeLessThan(65_536);
  expect(long).toContain("TXN-05");
  const sentence =
    /\nLeft out, because .*: \d+ claims not decided\. .*`--html` and `--report-json`/;
  expect(long).toMatch(sentence);
  expect(renderMarkdown(viewOf(report))).not.toContain("Left out");
});
