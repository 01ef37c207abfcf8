import { expect, test } from "vitest";
import { type RequirementId, requirements } from "../../generated/requirements.ts";
import { type Level, validateEvent, validateResponse } from "../../src/contract/index.ts";
import type { Case, Expectation } from "./cases/case.ts";
import { cases } from "./cases/index.ts";
import { asResponses } from "./cases/responses.ts";
import { NEVER_ISOLATED, NOT_IN_ONE_PAYLOAD } from "./cases/uncovered.ts";

/** Validates a payload. Returns the named requirements of each level. */
function validationOf({ payload, networks }: Case) {
  const options = networks ? { networks } : {};
  const { ok, findings } =
    "event" in payload
      ? validateEvent(payload.event, payload.body, options)
      : validateResponse(payload.operation, 200, payload.body, options);
  const named = (level: Level) => [
    ...new Set(findings.filter((finding) => finding.level === level).map((f) => f.requirement)),
  ];
  return { ok, errors: named("error"), warnings: named("warning"), notices: named("notice") };
}

const WORDS: Record<Expectation, string> = {
  valid: "is kept",
  silent: "is kept",
  invalid: "is broken",
  derived: "is broken",
  notice: "gets a notice",
};
const titled = [...cases, ...cases.flatMap(asResponses)].map(
  (each) => [`${each.requirement} ${WORDS[each.expect]} where ${each.title}`, each] as const,
);

test.each(titled)("%s", (_title, each) => {
  const acceptable = [each.requirement, ...(each.also ?? [])];
  const namesOne = expect.toSatisfy(
    (named: RequirementId[]) => acceptable.some((id) => named.includes(id)),
    `names ${acceptable.join(" or ")}`,
  );
  const named = each.also ? namesOne : [each.requirement];
  const any = expect.anything();
  const verdicts: Record<Expectation, ReturnType<typeof validationOf>> = {
    valid: { ok: true, errors: [], warnings: [], notices: any },
    silent: { ok: true, errors: [], warnings: [], notices: [] },
    invalid: { ok: false, errors: named, warnings: any, notices: any },
    derived: { ok: true, errors: [], warnings: named, notices: any },
    // A payload may have other values outside open sets.
    notice: { ok: true, errors: [], warnings: [], notices: namesOne },
  };
  expect(validationOf(each)).toEqual(verdicts[each.expect]);
});

/** The requirements that one payload can show. */
const decidable = (Object.keys(requirements) as RequirementId[]).filter((id) =>
  requirements[id].how.some((decider) => decider === "schema" || decider === "rule"),
);

/** The ids with fewer than `least` cases. */
const lacking = (ids: RequirementId[], least: number, counts: (one: Case) => boolean) =>
  ids.filter((id) => cases.filter((c) => c.requirement === id && counts(c)).length < least);

const isListed = (id: RequirementId) => id in NOT_IN_ONE_PAYLOAD;
const covered = decidable.filter((id) => !isListed(id));

/** The expected finding of a violation: ENR-02 makes violations of ENR-01 notices. */
function breaches(id: RequirementId): Expectation[] {
  if (requirements[id].derived) return ["derived"];
  if (id === "ENR-01") return ["notice"];
  return requirements[id].how.includes("open") ? ["invalid", "notice"] : ["invalid"];
}

test("each payload requirement has two payloads that break it", () => {
  expect(lacking(covered, 2, (c) => breaches(c.requirement).includes(c.expect))).toEqual([]);
});

test("each payload requirement has a payload that meets it", () => {
  expect(lacking(covered, 1, (c) => c.expect === "valid" || c.expect === "silent")).toEqual([]);
});

test("each payload requirement has a payload that breaks nothing else", () => {
  const isOnlyBreach = (c: Case) => breaches(c.requirement).includes(c.expect) && !c.also;
  expect(lacking(covered, 1, isOnlyBreach)).toEqual(Object.keys(NEVER_ISOLATED));
});

test("each exempt requirement is a payload requirement without a case", () => {
  const ids = Object.keys(NOT_IN_ONE_PAYLOAD);
  expect(ids.filter((id) => !decidable.includes(id as RequirementId))).toEqual([]);
  expect(cases.map(({ requirement }) => requirement).filter(isListed)).toEqual([]);
});

test("no two cases of a requirement have the same title, and none is long", () => {
  const titles = cases.map(({ requirement, title }) => `${requirement} ${title}`);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  expect(cases.map(({ title }) => title).filter((title) => title.length > 70)).toEqual([]);
});
