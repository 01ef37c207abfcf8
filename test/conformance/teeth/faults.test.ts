import { expect, test } from "vitest";
import { exclusions } from "../../../generated/exclusions.ts";
import { type RequirementId, requirementIds } from "../../../generated/requirements.ts";
import { faults } from "./faults/index.ts";

test("faults have ids that are theirs alone", () => {
  const ids = faults.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test("faults say what bug they are, in a line", () => {
  const unsaid = faults.filter(({ likeness }) => likeness.length < 20 || likeness.length > 90);
  expect(unsaid.map(({ id }) => id)).toEqual([]);
});

test("there are at least 150 faults, of which 50 are in webhooks and sequences", () => {
  expect(faults.length).toBeGreaterThanOrEqual(150);
  const inSequences = faults.filter(({ deliveries, inside }) => deliveries ?? inside);
  expect(inSequences.length).toBeGreaterThanOrEqual(50);
});

test("every requirement that can be decided has a fault", () => {
  const broken = new Set(faults.map(({ requirement }) => requirement));
  const decided = requirementIds.filter((id) => !(id in exclusions));
  expect(decided.filter((id: RequirementId) => !broken.has(id))).toEqual([]);
});

test("every fault does something", () => {
  const idle = faults.filter(({ http, deliveries, inside }) => !(http ?? deliveries ?? inside));
  expect(idle.map(({ id }) => id)).toEqual([]);
});
