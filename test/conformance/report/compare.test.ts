import { expect, test } from "vitest";
import { compareReports, isWorse } from "../../../conformance/report/compare/compare.ts";
import { readReport } from "../../../conformance/report/compare/read-report.ts";
import { renderText } from "../../../conformance/report/compare/text.ts";
import { renderComparison } from "../../../conformance/report/markdown.ts";
import { styleFor } from "../../../src/cli/terminal.ts";

const PLAIN = styleFor({ isTTY: false }, {});

interface SomeClaim {
  readonly verdict: string;
  readonly met?: readonly string[];
  /** Why the other situations were not met. */
  readonly why?: { readonly reason: string; readonly hint: string };
  readonly reason?: string;
}

/** A report as JSON: requirements with verdicts, and claims by full id. */
function json(
  verdicts: Readonly<Record<string, string>>,
  claims?: Readonly<Record<string, SomeClaim>>,
  more: object = {},
): string {
  const claimsOf = (id: string) =>
    Object.entries(claims ?? {})
      .filter(([claim]) => claim.startsWith(`${id}.`))
      .map(([claim, { met = [], why, ...rest }]) => ({
        ...{ id: claim, ...rest },
        situations: ["a", "b"].map((name) => {
          return { name, met: met.includes(name), ...(!met.includes(name) && why) };
        }),
      }));
  return JSON.stringify({
    ...{ target: "http://a", profile: "full", startedAt: "2026-01-01T00:00:00Z", durationMs: 1000 },
    ...(claims && { claims: { total: 1, decided: 1, failed: 0 } }),
    requirements: Object.entries(verdicts).map(([id, verdict]) => ({
      ...{ id, verdict, checks: [] },
      ...(verdict === "skipped" && { reason: "no data", hint: "give --writes" }),
      ...(claims && { claims: claimsOf(id) }),
    })),
    causes: [],
    ...more,
  });
}

function compared(a: string, b: string) {
  return compareReports(readReport(a, "a.json"), readReport(b, "b.json"));
}

test.each([
  ["passed", "failed", "broken", true],
  ["passed", "warned", "broken", true],
  ["passed", "partly", "undecided", true],
  ["passed", "skipped", "undecided", true],
  ["passed", "excluded", "undecided", true],
  ["warned", "failed", "broken", false],
  ["skipped", "failed", "broken", false],
  ["partly", "skipped", "undecided", false],
  ["failed", "skipped", "undecided", false],
  ["failed", "warned", "other", false],
  ["failed", "passed", "fixed", false],
  ["skipped", "passed", "decided", false],
  ["skipped", "partly", "decided", false],
  ["partly", "passed", "decided", false],
])("a requirement from %s to %s is %s", (from, to, change, regression) => {
  const comparison = compared(json({ "TXN-01": from }), json({ "TXN-01": to }));
  expect(comparison.requirements).toEqual([
    expect.objectContaining({ id: "TXN-01", from, to, change, regression }),
  ]);
  expect(isWorse(comparison)).toBe(regression);
});

test("a requirement that the later report does not list no longer passes", () => {
  const comparison = compared(
    json({ "TXN-01": "passed", "TXN-02": "passed" }),
    json({ "TXN-01": "passed" }),
  );
  expect(comparison.requirements).toMatchObject([{ id: "TXN-02", to: "absent", regression: true }]);
});

test("a claim that no longer passes counts, even if the verdict of its requirement stays", () => {
  const a = json({ "TXN-12": "failed" }, { "TXN-12.settles": { verdict: "passed" } });
  const b = json(
    { "TXN-12": "failed" },
    { "TXN-12.settles": { verdict: "undecided", reason: "no match" } },
  );
  const comparison = compared(a, b);
  expect(comparison.requirements).toEqual([]);
  expect(comparison.claims).toEqual([
    {
      ...{ id: "TXN-12.settles", requirement: "TXN-12", from: "passed", to: "undecided" },
      ...{ change: "undecided", regression: true, reason: "no match" },
    },
  ]);
  expect(comparison.regressions).toEqual({ requirements: 0, claims: 1 });
  expect(isWorse(comparison)).toBe(true);
  expect(isWorse(compared(b, a))).toBe(false);
});

test("situations that only one run met are lost or gained, and change no verdict", () => {
  const met = (...names: string[]) =>
    json({ "TXN-12": "passed" }, { "TXN-12.settles": { verdict: "passed", met: names } });
  const comparison = compared(met("a", "b"), met("b"));
  const lost = [{ claim: "TXN-12.settles", situation: "a" }];
  expect(comparison.situations).toEqual({ lost, gained: [] });
  expect(compared(met("b"), met("a", "b")).situations).toEqual({ lost: [], gained: lost });
  expect(isWorse(comparison)).toBe(false);
});

test("a lost situation has the reason why the later run did not meet it", () => {
  const why = { reason: "no driver", hint: "give --driver MODULE" };
  const met = (...names: string[]) =>
    json({ "TXN-12": "passed" }, { "TXN-12.settles": { verdict: "passed", met: names, why } });
  const comparison = compared(met("a", "b"), met());
  expect(comparison.situations.lost).toEqual(
    ["a", "b"].map((situation) => ({ claim: "TXN-12.settles", situation, ...why })),
  );
  expect(compared(met("b"), met("a", "b")).situations.gained).toEqual([
    { claim: "TXN-12.settles", situation: "a" },
  ]);
  expect(renderText(comparison, { a: "a", b: "b" }, PLAIN)).toContain(
    "  2 situations lost\n    no driver\n      → give --driver MODULE\n      TXN-12.settles: a b\n",
  );
  expect(renderComparison(comparison, { a: "a", b: "b" })).toContain(
    "- TXN-12.settles: a, b (no driver) → give --driver MODULE\n",
  );
});

test("a report without claims is compared by its requirements, with a remark", () => {
  const old = json({ "TXN-12": "passed" });
  const now = json({ "TXN-12": "passed" }, { "TXN-12.settles": { verdict: "undecided" } });
  const comparison = compared(old, now);
  expect(comparison.remarks).toEqual(["A has no claims; only requirements are compared."]);
  expect(comparison.claims).toEqual([]);
  expect(isWorse(comparison)).toBe(false);
});

test("claims that only one version of the catalogue has are a remark", () => {
  const a = json(
    { "TXN-12": "passed" },
    { "TXN-12.old": { verdict: "passed" }, "TXN-12.both": { verdict: "passed" } },
  );
  const b = json({ "TXN-12": "passed" }, { "TXN-12.both": { verdict: "passed" } });
  const { remarks, claims } = compared(a, b);
  expect(remarks).toEqual(["B does not list claims that A lists: TXN-12.old."]);
  expect(claims).toEqual([]);
});

test("other targets, other profiles and an aborted run are remarks", () => {
  const other = { target: "http://b", profile: "mock", brokenOff: "interrupted" };
  const { remarks } = compared(
    json({ "TXN-01": "passed" }),
    json({ "TXN-01": "passed" }, undefined, other),
  );
  expect(remarks).toEqual([
    "The targets differ: http://a and http://b.",
    "The profiles differ: full and mock.",
    "A has no claims; only requirements are compared.",
    "The run of B stopped early: interrupted",
    "B has no claims; only requirements are compared.",
  ]);
});

test("a cause is the same if its requirement and one of its places are", () => {
  const cause = (lead: string, place: string, message: string) => ({
    ...{ requirements: [lead], places: [place, `only in ${message}`], message },
  });
  const a = json({ "TXN-01": "failed" }, undefined, {
    causes: [cause("TXN-01", "GET /transactions /id", "id 1"), cause("CONV-02", "GET /cards", "x")],
  });
  const b = json({ "TXN-01": "failed" }, undefined, {
    causes: [cause("TXN-01", "GET /transactions /id", "id 2"), cause("CONV-03", "GET /cards", "x")],
  });
  const { causes } = compared(a, b);
  expect(causes.new.map(({ requirements }) => requirements)).toEqual([["CONV-03"]]);
  expect(causes.gone.map(({ requirements }) => requirements)).toEqual([["CONV-02"]]);
});

test.each([
  [1000, 1900, false],
  [1000, 2000, true],
  [60_000, 70_000, false],
  [60_000, 72_000, true],
  [72_000, 60_000, false],
])("a run of %i ms, then of %i ms, is slower: %s", (before, after, slower) => {
  const run = (durationMs: number) => json({ "TXN-01": "passed" }, undefined, { durationMs });
  expect(compared(run(before), run(after)).slower).toBe(slower);
});

test.each([
  ["", "it is not JSON"],
  ["[]", "it is not a JSON object"],
  ["{}", "it has no target, profile and requirements"],
  [json({}), "it lists no requirement"],
  ['{"target":"a","profile":"full","requirements":[{"id":"X"}]}', "requirements[0] has no id and"],
])("%s is not a report", (text, why) => {
  expect(() => readReport(text, "x.json")).toThrow(`x.json is not a report: ${why}`);
});

const before = json(
  { "TXN-12": "passed", "MAT-09": "passed", "MSG-12": "skipped", "TXN-01": "failed" },
  { "TXN-12.settles": { verdict: "passed", met: ["a"] }, "MAT-09.dense": { verdict: "passed" } },
);
const after = json(
  { "TXN-12": "failed", "MAT-09": "skipped", "MSG-12": "passed", "TXN-01": "passed" },
  { "TXN-12.settles": { verdict: "failed", met: ["b"] }, "MAT-09.dense": { verdict: "undecided" } },
  {
    durationMs: 9000,
    causes: [{ requirements: ["TXN-12"], places: [], message: "status: \u001b[31m expected" }],
  },
);
const files = { a: "a.json", b: "b.json" };

test("the text lists the changes by kind and ends with the result", () => {
  const lines = renderText(compared(before, after), files, PLAIN).split("\n");
  expect(lines).toEqual([
    "compare A a.json → B b.json",
    "  A  http://a, profile full: 2 of 4 requirements passed, 2 of 2 claims passed, 1.0 s",
    "  B  http://a, profile full: 2 of 4 requirements passed, 0 of 2 claims passed, 9.0 s",
    "",
    "  1 requirement and 1 claim broken",
    "    passed → failed",
    "      TXN-12  A bank posting matched with high confidence settles a PENDING transaction: a",
    "              bank-sourced FINL_ADVC message is added that inherits transactionReference,",
    "              approvalCode and network of the authorization, and transaction.updated is sent.",
    "      TXN-12.settles  A bank posting matched with high confidence settles a PENDING transaction.",
    "",
    "  1 requirement and 1 claim newly undecided",
    "    passed → skipped: no data",
    "      → give --writes",
    "      MAT-09",
    "    passed → undecided",
    "      MAT-09.dense",
    "",
    "  1 requirement newly decided",
    "    skipped → passed",
    "      MSG-12",
    "",
    "  1 requirement fixed",
    "    failed → passed",
    "      TXN-01",
    "",
    "  1 situation lost",
    "    TXN-12.settles: a",
    "",
    "  1 situation gained",
    "    TXN-12.settles: b",
    "",
    "  1 new likely cause",
    "    TXN-12  status: \\u001b[31m expected",
    "",
    "  slower: 9.0 s instead of 1.0 s",
    "",
    "2 requirements and 2 claims that passed no longer do",
    "",
  ]);
});

test("the Markdown has the same content, escaped", () => {
  const text = renderComparison(compared(before, after), files);
  expect(text).toContain("**❌ 2 requirements and 2 claims that passed no longer do**\n");
  expect(text).toContain(
    "### 1 requirement and 1 claim broken\n\n- passed → failed: TXN-12 TXN-12.settles\n",
  );
  expect(text).toContain("- passed → skipped (no data) → give --writes: MAT-09\n");
  expect(text).toContain("- **TXN-12** `status: \\u001b[31m expected`\n");
  expect(text).toContain("- slower: 9.0 s instead of 1.0 s\n");
});

test("equal reports have no changes", () => {
  const comparison = compared(after, after);
  expect({ ...comparison, a: null, b: null }).toEqual({
    ...{ a: null, b: null, remarks: [], requirements: [], claims: [], slower: false },
    situations: { lost: [], gained: [] },
    causes: { new: [], gone: [] },
    regressions: { requirements: 0, claims: 0 },
  });
  expect(renderText(comparison, files, PLAIN)).toContain("\neverything that passed still passes\n");
});
