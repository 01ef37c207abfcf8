import { expect, test } from "vitest";
import { requirementIds, requirements } from "../../../generated/requirements.ts";
import { ruledRequirements } from "../../../src/contract/rules/index.ts";

/** Rules that are decided elsewhere than by a rule of one body, and where. */
const ELSEWHERE = {
  "MSG-12": "a projection is compared with the message alone, so a history decides it",
  "WHK-02": "the shape decides it",
};

const ruled = ruledRequirements();
const marked = requirementIds.filter((id) => requirements[id].how.includes("rule"));

test.each(marked.filter((id) => !(id in ELSEWHERE)))("%s has a rule", (id) => {
  expect(ruled.has(id)).toBe(true);
});

test("what is decided elsewhere has no rule", () => {
  expect(Object.keys(ELSEWHERE).filter((id) => ruled.has(id as never))).toEqual([]);
});
