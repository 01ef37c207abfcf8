import { expect, test } from "vitest";
import { scenarioChecks } from "../../conformance/checks/driven.ts";
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
  const unsaid = mutations.filter(({ description: { length } }) => length < 20 || length > 90);
  expect(unsaid.map(({ id }) => id)).toEqual([]);
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
  const names = new Set(checks.map(({ requirement, title }) => `${requirement}: ${title}`));
  const named = mutations.flatMap(({ checks: own = [] }) => own);
  expect(named.filter((name) => checksNamed(name).length === 0)).toEqual([]);
  expect(named.flatMap(checksNamed).filter((name) => !names.has(name))).toEqual([]);
});

test("each check of a scenario must see a mutation", () => {
  const seen = new Set(mutations.flatMap(({ checks: own = [] }) => own.flatMap(checksNamed)));
  const names = scenarioChecks.map(({ requirement, title }) => `${requirement}: ${title}`);
  expect(names.filter((name) => !seen.has(name))).toEqual([]);
});

test("each check of authentication, errors and pages must see a mutation", () => {
  const seen = new Set(mutations.flatMap(({ checks: own = [] }) => own.flatMap(checksNamed)));
  const names = checks
    .filter(({ requirement }) => /^(AUTH|ERR|PAGE)-/.test(requirement))
    .map(({ requirement, title }) => `${requirement}: ${title}`);
  expect(names.filter((name) => !seen.has(name))).toEqual([]);
});
