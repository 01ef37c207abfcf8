import { expect, test } from "vitest";
import { eventNames } from "../../../generated/events.ts";
import { requirementIds, requirements } from "../../../generated/requirements.ts";
import { responses } from "../../../generated/validators.js";
import { ruledClaimsOf } from "../../../src/contract/rules/index.ts";

/** The requirements that are not checked by a rule of one body, and why. */
const ELSEWHERE = {
  "MSG-12": "a projection is compared with the standalone message, so the history checks it",
  "WHK-02": "the shape check covers it",
};

const bodies = [...eventNames, ...(Object.keys(responses) as (keyof typeof responses)[])];
const ruled = new Set(
  bodies
    .flatMap((name) => [...ruledClaimsOf(name).values()].flatMap((claims) => [...claims]))
    .map((claim) => claim.split(".", 1)[0]),
);
const marked = requirementIds.filter((id) => requirements[id].how.includes("rule"));

test.each(marked.filter((id) => !(id in ELSEWHERE)))("%s has a rule", (id) => {
  expect(ruled.has(id)).toBe(true);
});

test("a requirement that is checked elsewhere has no rule", () => {
  expect(Object.keys(ELSEWHERE).filter((id) => ruled.has(id))).toEqual([]);
});
