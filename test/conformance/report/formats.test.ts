import { XMLParser, XMLValidator } from "fast-xml-parser";
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

const { decided, total, failed } = report.claims;
const [one = 0, other = 0] = [4, 5].map((at) => some[at]?.claims?.length);

/** What every format shows, and what JUnit does not: causes, and what would decide more. */
const SHOWN: readonly (string | RegExp)[] = [
  ...["TXN-05", "string", "number 5812", "interrupted", "oops", "no driver"],
  ...["give --driver MODULE", "no case of it occurred"],
  `${decided} of ${total} claims decided, ${failed} failed, ${total - decided} undecided`,
];
const NOT_IN_JUNIT: readonly (string | RegExp)[] = [
  ...["GET /transactions /_embedded/transactions/[]/acceptor/mcc", "2 findings", "MAT-05 MAT-09"],
  ...[/curl -i |exchange 4/, /delivery no\. 5 of the evidence, transaction\.updated|delivery 5/],
  ...[/give --webhook-listen ?:? /, `+${one + other} claims (alone: +${other})`],
  ...[/implement clearSca ?:? \+\d+ claims \(only with others\)/, /TXN-12\.settles:? delivered/],
];

test.each(all)("%s shows failures, causes, and what is undecided and why", (name, render) => {
  const text = textOf(render(report));
  const shown = name === "JUnit" ? SHOWN.slice(0, 7) : [...SHOWN, ...NOT_IN_JUNIT];
  for (const part of [...shown, SHOWN.at(-1)]) {
    if (typeof part === "string") expect(text).toContain(part);
    else expect(text).toMatch(part as RegExp);
  }
});

const causing = all.filter(([name]) => name !== "JUnit");

test.each(causing)(
  "%s shows the claim of a cause, what else it breaks, and its consequence",
  (_, render) => {
    const date = { path: "/transactionDate", actual: 'string "now"', evidence: [4] };
    const text = textOf(
      render(
        reportOf(
          [
            broken("CONV-03", [{ ...finding("CONV-03", date), claim: "CONV-03.form" }]),
            broken("TXN-01", [finding("TXN-01", date)]),
            broken("TXN-07", [finding("TXN-07", { path: "/b", evidence: [4] })]),
            broken("MAT-08", [finding("MAT-08", { path: "/a", evidence: [4] })]),
          ],
          { traffic },
        ),
      ),
    );
    expect(text).toMatch(/claim CONV-03\.form ?:? \w/);
    expect(text).toMatch(/breaks TXN-01/);
    expect(text).toMatch(
      /MAT-08 of TXN-07: |consequence of TXN-07: MAT-08|follows TXN-07 probably/,
    );
  },
);

test.each(all)("%s shows the known failures, and those that pass", (_, render) => {
  const entry = { reason: "ticket 7", expires: "2026-12-31" };
  const baseline = (["TXN-05", "TXN-01"] as const).map((id) => ({ requirement: id, ...entry }));
  const text = textOf(render(applyBaseline(report, baseline, "2026-01-05")));
  expect(text).toContain("until 2026-12-31: ticket 7");
  expect(text).toMatch(/known failures? that passe?s?/);
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

const { suiteErrors } = report;
const entry = { requirement: "TXN-05", reason: "", expires: "2026-12-31" } as const;
const none = { known: [], stale: [], expired: [], undecided: [] };

test.each<[string, RequirementReport[], Partial<Report>]>([
  ["nothing fails", [passed("TXN-01")], {}],
  ["nothing fails the run", [broken("TXN-05", mcc)], { baseline: { ...none, known: [entry] } }],
  [
    "failed: the baseline is outdated",
    [passed("TXN-05")],
    { baseline: { ...none, stale: [entry] } },
  ],
  ["failed: TXN-05", [passed("TXN-01"), broken("TXN-05", mcc)], {}],
  ["failed: TXN-05; in doubt: 1 suite error", [broken("TXN-05", mcc)], { suiteErrors }],
  ["undecided: 1 suite error", [passed("TXN-01")], { suiteErrors }],
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

const internal = "internal error of the suite, please report it: oops";
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
      { ...skipped("TXN-19", { reason: internal }), claims: [] },
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
