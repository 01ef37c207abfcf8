import { expect, test } from "vitest";
import { exclusions } from "../../generated/exclusions.ts";
import { claims, requirementIds } from "../../generated/requirements.ts";
import { mutations } from "../../mutation/mutations/index.ts";

test("each mutation has an id of its own", () => {
  const ids = mutations.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test("each mutation describes its bug in one line", () => {
  const invalid = mutations.filter(
    ({ description }) => !/^.{20,90}$/.test(description) || / if(,|$)/.test(description),
  );
  expect(invalid.map(({ id }) => id)).toEqual([]);
});

test("each mutation has a hook", () => {
  const idle = mutations.filter(({ http, deliveries, inside }) => !(http ?? deliveries ?? inside));
  expect(idle.map(({ id }) => id)).toEqual([]);
});

test("each requirement that a run decides has a mutation", () => {
  const broken = new Set(
    mutations.flatMap((one) => one.claims.map((id) => claims[id].requirement)),
  );
  const decided = requirementIds.filter((id) => !(id in exclusions));
  expect(decided.filter((id) => !broken.has(id))).toEqual([]);
});
