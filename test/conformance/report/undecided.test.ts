import { expect, test } from "vitest";
import { endingOf, headlinesOf } from "../../../conformance/report/ending.ts";
import { renderHtml } from "../../../conformance/report/html/index.ts";
import { renderJunit } from "../../../conformance/report/junit.ts";
import { renderMarkdown } from "../../../conformance/report/markdown.ts";
import { renderMatrix } from "../../../conformance/report/matrix.ts";
import type {
  CheckReport,
  ClaimReport,
  ClaimVerdict,
  Report,
  RequirementReport,
} from "../../../conformance/report/report.ts";
import {
  gainsOf,
  gainText,
  openGroups,
  unmetGroups,
} from "../../../conformance/report/undecided.ts";
import { type ClaimId, claimIds, claims } from "../../../generated/requirements.ts";
import { styleFor } from "../../../src/cli/terminal.ts";
import { passed, reportOf } from "./some-report.ts";

const PLAIN = styleFor({ isTTY: false }, {});

/** Two claims of one requirement of the catalogue, and the requirement. */
const byRequirement = Map.groupBy(claimIds, (id) => claims[id].requirement);
const [ID, own] = [...byRequirement].find(([, ids]) => ids.length >= 2) ?? [];
const [FIRST, SECOND, ...REST] = own as [ClaimId, ClaimId, ...ClaimId[]];

function skippedCheck(of: readonly ClaimId[], more: Partial<CheckReport>): CheckReport {
  const results = of.map((id) => ({ id, verdict: "undecided" as const, situations: [] }));
  return { name: "a fact", verdict: "skipped", reason: "no driver", claims: results, ...more };
}

const claim = (id: ClaimId, verdict: ClaimVerdict, more: Partial<ClaimReport> = {}) => ({
  ...{ id, verdict, ...more },
});

function requirement(
  all: readonly ClaimReport[],
  checks: readonly CheckReport[],
  verdict: RequirementReport["verdict"] = "partly",
): RequirementReport {
  if (!ID) throw new Error("no requirement has two claims");
  return { id: ID, verdict, claims: all, checks };
}

const undecided = { reason: "no driver", hint: "give --driver MODULE" };
const partly = requirement(
  [
    claim(FIRST, "passed"),
    claim(SECOND, "undecided", undecided),
    ...REST.map((id) => claim(id, "passed")),
  ],
  [
    skippedCheck([SECOND], { missing: ["verb:enroll", "verb:clearSca"] }),
    skippedCheck([SECOND], { missing: ["verb:clearSca"] }),
  ],
);
const whole = requirement(
  own?.map((id) => claim(id, "undecided", undecided)) ?? [],
  [skippedCheck(own ?? [], { missing: ["verb:clearSca", "writes"] })],
  "skipped",
);

test("a group names single claims, or the requirement if it has all of its claims", () => {
  expect(openGroups([partly])).toEqual([{ ...undecided, ids: [SECOND], claims: 1 }]);
  expect(openGroups([whole])).toEqual([{ ...undecided, ids: [ID], claims: own?.length }]);
});

test("a requirement without listed claims counts as one", () => {
  const skipped = { id: "MSG-03", verdict: "skipped", reason: "no data", checks: [] } as const;
  expect(openGroups([skipped])).toEqual([{ reason: "no data", ids: ["MSG-03"], claims: 1 }]);
});

test("requirements that are excluded or not selected are not open", () => {
  const leftOut = { id: "MSG-03", verdict: "skipped", reason: "not selected", checks: [] } as const;
  const excluded = { id: "VER-01", verdict: "excluded", reason: "client", checks: [] } as const;
  expect(openGroups([leftOut, excluded, passed("TXN-01")])).toEqual([]);
  expect(gainsOf([leftOut, excluded, passed("TXN-01")])).toEqual([]);
});

const NONE = { claims: 0, situations: 0 };
const ONE = { claims: 1, situations: 0 };

test("a claim needs what the cheapest of its checks lacks", () => {
  expect(gainsOf([partly])).toEqual([{ action: "implement `clearSca`", ...ONE, alone: ONE }]);
});

test("gains are sorted, and count claims that need something else too", () => {
  const count = own?.length ?? 0;
  const sdk = {
    ...({ id: "AUTH-11", verdict: "skipped", reason: "no SDK" } as const),
    checks: [skippedCheck([], { missing: ["sdkCredentials"] })],
  };
  expect(gainsOf([sdk, whole])).toEqual([
    { action: "implement `clearSca`", claims: count, situations: 0, alone: NONE },
    { action: "give --writes", claims: count, situations: 0, alone: NONE },
    { action: "give --sdk-client-id and --sdk-client-secret", ...ONE, alone: ONE },
  ]);
});

/** A claim that was checked, but not in the situations that need another account. */
const unmetSituations = requirement(
  [
    claim(FIRST, "passed", {
      situations: [
        { name: "listed", met: true },
        ...(["alone", "delivered"] as const).map((name) => ({ name, met: false, ...undecided })),
        { name: "posted", met: false, reason: "no case of it occurred" },
      ],
    }),
    claim(SECOND, "undecided", {
      ...undecided,
      situations: [{ name: "listed", met: false, ...undecided }],
    }),
  ],
  [skippedCheck([FIRST, SECOND], { missing: ["secondAccount"] })],
);

test("the unmet situations of decided claims are grouped by reason", () => {
  expect(unmetGroups([unmetSituations, partly])).toEqual([
    { ...undecided, claims: [{ id: FIRST, situations: ["alone", "delivered"] }], situations: 2 },
    {
      reason: "no case of it occurred",
      claims: [{ id: FIRST, situations: ["posted"] }],
      situations: 1,
    },
  ]);
});

test("gains count situations", () => {
  const amount = { claims: 1, situations: 4 };
  const [gain, ...others] = gainsOf([unmetSituations]);
  expect(others).toEqual([]);
  expect(gain).toEqual({ action: "give --second-account", ...amount, alone: amount });
});

test.each([
  ["+1 claim, +4 situations", { claims: 1, situations: 4 }],
  ["+1 claim, +4 situations (only with others)", NONE],
  ["+1 claim, +4 situations (alone: +1, +3)", { claims: 1, situations: 3 }],
  ["+1 claim, +4 situations (alone: +2 situations)", { claims: 0, situations: 2 }],
])("a gain is: %s", (text, alone) => {
  expect(gainText({ action: "", claims: 1, situations: 4, alone })).toBe(text);
});

test("each report lists unmet situations with the reason", () => {
  const report = reportOf([unmetSituations]);
  const text = renderMatrix(report, PLAIN);
  expect(text).toContain(
    [
      "  2 situations of 1 claim not met: no driver",
      "    → give --driver MODULE",
      `    ${FIRST}: alone delivered`,
      "",
      "  1 situation of 1 claim not met: no case of it occurred",
      `    ${FIRST}: posted\n`,
    ].join("\n"),
  );
  const markdown = renderMarkdown(report);
  expect(markdown).toContain(
    "<summary>3 situations of decided claims not met, by reason</summary>",
  );
  expect(markdown).toContain(
    `- no driver → give --driver MODULE\n  - ${FIRST}: alone, delivered\n`,
  );
  const html = renderHtml(report);
  expect(html).toContain("<summary>3 situations of decided claims not met</summary>");
  expect(html).toContain("4 of 5 situations not met");
  expect(html).toContain("<dd>alone, delivered: no driver → give --driver MODULE</dd>");
  expect(html).toContain("<dd>posted: no case of it occurred</dd>");
});

test("the text has one line for each reason of few claims", () => {
  const skipped = (["MSG-01", "MSG-03", "MSG-05", "MSG-07"] as const).map((id, at) => {
    return { id, verdict: "skipped", reason: `no data of kind ${at}`, checks: [] } as const;
  });
  const text = renderMatrix(reportOf([...skipped, whole]), PLAIN);
  expect(text).toContain(
    [
      "  6 claims not decided:",
      `    ${ID}: no driver → give --driver MODULE`,
      "    MSG-01: no data of kind 0",
      "    MSG-03: no data of kind 1",
      "    MSG-05: no data of kind 2",
      "    MSG-07: no data of kind 3\n",
    ].join("\n"),
  );
});

test("the text only counts the situations of many claims", () => {
  const all = claimIds.slice(0, 60).map((id) =>
    claim(id, "passed", {
      situations: [{ name: "listed", met: false, reason: "no case of it occurred" }],
    }),
  );
  const text = renderMatrix(reportOf([requirement(all, [], "passed")]), PLAIN);
  expect(text).toContain(
    [
      "  60 situations of 60 claims not met:",
      "    60  no case of it occurred",
      "    → --report-json FILE and --html FILE list each situation\n",
    ].join("\n"),
  );
});

const report = reportOf([passed("TXN-01"), partly], {
  claims: { total: 9, decided: 8, failed: 0, situations: { total: 5, met: 4 } },
});

test("partly decided requirements are no failure", () => {
  expect(endingOf(report)).toBe("held");
});

test("the text names undecided claims, what would decide them, and counts claims", () => {
  const text = renderMatrix(report, PLAIN);
  expect(text).toContain("\n  to decide more:\n    implement `clearSca`  +1 claim\n");
  expect(text).toContain(
    `  1 claim not decided: no driver\n    → give --driver MODULE\n    ${SECOND}\n`,
  );
  expect(text).toContain("\n8 of 9 claims decided, in 4 of 5 situations\n");
  expect(text).toMatch(/\n1 of 2 requirements decided: 1 passed, .* 1 partly, 0 skipped/);
});

test("the Markdown names undecided claims and what would decide them", () => {
  const text = renderMarkdown(report);
  expect(text).toContain("### To decide more\n\n- implement `clearSca`: +1 claim\n");
  expect(text).toContain(`- no driver → give --driver MODULE: ${SECOND}\n`);
  expect(text).toContain("8 of 9 claims decided, in 4 of 5 situations\n");
});

test("JUnit has a skipped case for each undecided claim", () => {
  const xml = renderJunit(report);
  expect(xml).toContain(`name="${SECOND} `);
  expect(xml).toContain('<skipped message="no driver; give --driver MODULE"/>');
  expect(xml).not.toContain(`name="${FIRST} `);
});

test("HTML shows each claim with its anchor, and what would decide it", () => {
  const html = renderHtml(report);
  expect(html).toContain(`<li id="${FIRST}" data-verdict="passed">`);
  expect(html).toContain(`<li id="${SECOND}" data-verdict="undecided">`);
  expect(html).toContain("<strong>implement clearSca</strong>: +1 claim");
});

const unmet = {
  name: "a match",
  verdict: "skipped",
  reason: "no match came",
  unmet: true,
} as const;
const promise: RequirementReport = {
  ...{ id: "TXN-12", verdict: "skipped", reason: "no match came" },
  checks: [unmet],
};

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
    [requirement([], [skippedCheck([], { refused: true })], "skipped")],
    /^The target refused every verb of the driver/,
  ],
  ["a verb had no effect", {}, [promise], /its effect did not occur: no match came/],
])("%s: a headline in each report, and the run is undecided", (_, more, others, headline) => {
  const doubtful = reportOf([passed("TXN-01"), ...others], more);
  expect(headlinesOf(doubtful)).toMatchObject([{ text: expect.stringMatching(headline) }]);
  expect(endingOf(doubtful)).toBe("undecided");
  const [, ...lines] = renderMatrix(doubtful, PLAIN).split("\n");
  expect(lines[0]).toMatch(new RegExp(headline.source.replace("its effect", ".*")));
  expect(renderMarkdown(doubtful)).toMatch(/^> ⚠️ /m);
  expect(renderJunit(doubtful)).toContain("<error message=");
  expect(renderHtml(doubtful)).toContain("Undecided: the target did not do what the driver asked");
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

test("a refused verb is named at the top of each report, and the run is not undecided", () => {
  const reason = "the driver's verb enroll was refused: no";
  const check = { name: "a fact", verdict: "skipped", reason, refused: true } as const;
  const refused = (["TXN-12", "TXN-13"] as const).map((id): RequirementReport => {
    return { id, verdict: "skipped", reason, checks: [check, check] };
  });
  const report = reportOf([passed("TXN-01"), ...refused]);
  const line = `${reason}; affects 2 requirements`;
  expect(renderMatrix(report, PLAIN).split("\n")[1]).toBe(line);
  expect(renderMarkdown(report)).toContain(`\n> ${line}\n`);
  expect(renderHtml(report)).toContain(`${line.replace("'", "&#39;")}</p>`);
  expect(endingOf(report)).toBe("held");
});

test("a headline names the credentials if the target issued no token for them", () => {
  const at = (actual: string, path = "") => {
    const finding = { requirement: "AUTH-01", level: "error", evidence: [] } as const;
    const findings = [{ ...finding, path, message: "no token", expected: "200", actual }];
    const check = { name: "a token", verdict: "failed", findings } as const;
    return { id: "AUTH-01", verdict: "failed", checks: [check] } as const;
  };
  const skipped: RequirementReport = { id: "EP-01", verdict: "skipped", checks: [] };
  const text = expect.stringMatching(/^The target issued no token .* TXFEED_CLIENT_SECRET\.$/);
  const refused = reportOf([at("401"), skipped]);
  expect(headlinesOf(refused)).toMatchObject([{ text }]);
  expect(renderMatrix(refused, PLAIN)).toContain("\nin doubt: the run has no token");
  expect(headlinesOf(reportOf([at("500"), skipped]))).toEqual([]);
  expect(headlinesOf(reportOf([at("400", "/expires_in"), skipped]))).toEqual([]);
  expect(headlinesOf(reportOf([at("401"), passed("EP-01")]))).toEqual([]);
});

test("a failure outweighs a headline", () => {
  const failed: RequirementReport = { id: "TXN-02", verdict: "failed", checks: [] };
  const doubtful = reportOf([failed, promise]);
  expect(endingOf(doubtful)).toBe("failed");
  expect(renderMatrix(doubtful, PLAIN)).toContain("\nin doubt: the target did not do what");
});
