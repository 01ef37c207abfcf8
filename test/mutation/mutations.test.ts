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
  expect(unnamed.sort()).toEqual(NEVER_FAIL.toSorted());
});

/**
 * Another check finds the same: what a page lacks and where links lead. Or the interface allows
 * deviations there: they are notices.
 */
const NEVER_FAIL = [
  "ENR-01: every body",
  ...["EP-01", "EP-02", "EP-03", "EP-06", "EP-08", "EP-09", "EP-11"].map(everyBody),
  ...["PAGE-04", "PAGE-06", "PAGE-07", "PAGE-08"].map(everyBody),
  "NBF-01: the self link of a feed's event has the specified path",
];

function everyBody(requirement: string): string {
  return `${requirement}: every body`;
}

function nameOf(check: Check): string {
  return `${requirementOf(check)}: ${check.title}`;
}
