import { expect, test } from "vitest";
import { type Check, requirementOf } from "../../conformance/check.ts";
import { checks } from "../../conformance/checks/index.ts";
import { exclusions } from "../../generated/exclusions.ts";
import { type RequirementId, requirementIds } from "../../generated/requirements.ts";
import { mutations } from "../../mutation/mutations/index.ts";
import { checksNamed } from "../../mutation/score.ts";

test("each mutation has an id of its own", () => {
  const ids = mutations.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test("each mutation describes its bug in one line", () => {
  const invalid = mutations.filter(({ description: { length } }) => length < 20 || length > 90);
  expect(invalid.map(({ id }) => id)).toEqual([]);
});

test("at least 150 mutations exist, 50 of them in deliveries and sequences", () => {
  expect(mutations.length).toBeGreaterThanOrEqual(150);
  const inSequences = mutations.filter(({ deliveries, inside }) => deliveries ?? inside);
  expect(inSequences.length).toBeGreaterThanOrEqual(50);
});

test("each requirement that a run decides has a mutation", () => {
  const broken = new Set(mutations.map(({ requirement }) => requirement));
  const decided = requirementIds.filter((id) => !(id in exclusions));
  expect(decided.filter((id: RequirementId) => !broken.has(id))).toEqual([]);
});

test("each mutation has a hook", () => {
  const idle = mutations.filter(({ http, deliveries, inside }) => !(http ?? deliveries ?? inside));
  expect(idle.map(({ id }) => id)).toEqual([]);
});

test("each check that a mutation names exists", () => {
  const names = new Set(checks.map(nameOf));
  // A run reports it for each requirement that only the schema of a body decides.
  names.add("PAGE-05: no body violates the requirement");
  const named = mutations.flatMap((mutation) => mutation.checks);
  expect(named.filter((name) => checksNamed(name).length === 0)).toEqual([]);
  expect(named.flatMap(checksNamed).filter((name) => !names.has(name))).toEqual([]);
});

test("each mutation names a check of the requirement that it breaks, except these", () => {
  const misfits = mutations.filter(
    ({ requirement, checks: own }) => !own.some((name) => name.startsWith(requirement)),
  );
  expect(misfits.map(({ id }) => id)).toEqual(CAUGHT_BY_OTHERS);
});

/** Mutations that only checks of other requirements see. A comment at each says why. */
const CAUGHT_BY_OTHERS = [
  ...["ep/bank-accounts-object", "bac/expires-never"],
  ...["whk/in-data", "whk/message-under-transaction"],
];

test("each check is named by a mutation, except those that never fail", () => {
  const named = new Set(mutations.flatMap(({ checks: own }) => own.flatMap(checksNamed)));
  const unnamed = checks.map(nameOf).filter((name) => !named.has(name));
  expect(unnamed).toEqual(NEVER_FAIL);
});

/** The interface allows deviations there: they are notices, and the check is skipped. */
const NEVER_FAIL = [
  "CONV-05: the links of an enrichment lead outside",
  "ENR-01: enrichment.merchant.created has merchant, location and links",
  "BTX-02: resources linked by deliveries satisfy the requirement",
  "MAT-02: resources linked by deliveries satisfy the requirement",
  "MAT-03: resources linked by deliveries satisfy the requirement",
];

function nameOf(check: Check): string {
  return `${requirementOf(check)}: ${check.title}`;
}
