import { expect, test } from "vitest";
import type { Mutation } from "../../mutation/mutation.ts";
import { score, tally } from "../../mutation/score.ts";
import { renderMutations, renderScore, renderTotals } from "../../mutation/table.ts";
import type { Result } from "../../mutation/task.ts";

const fault = (id: string): Mutation => ({ id, requirement: "TXN-09", description: "a sum" });

const result = (...failing: string[]): Result => ({
  ...{ nr: 1, fired: 3, errors: [], durationMs: 1 },
  findings: failing.map((id) => ({ id, check: "", expected: "", actual: "" })),
});

const bitten = [
  score(fault("by/name"), result("TXN-09")),
  score(fault("by/name-and-more"), result("CONV-04", "TXN-09")),
  score(fault("by/another"), result("CONV-04")),
  score(fault("not/caught"), result()),
  score(fault("not/fired"), { ...result("TXN-09"), fired: 0 }),
];

test("a fault is caught by name where its requirement is among those that fail", () => {
  expect(bitten.map(({ outcome }) => outcome)).toEqual([
    ...["by name", "by name", "otherwise", "missed", "idle"],
  ]);
});

test("the tally tells how many fail nothing but their own", () => {
  expect(tally(bitten)).toEqual({
    ...{ mutations: 5, byName: 2, otherwise: 1, missed: 1, idle: 1, alone: 1 },
  });
});

test("the score stands last, below what it is made of", () => {
  const isGood = false;
  const lines = [
    ...renderMutations(bitten),
    ...renderTotals(bitten),
    ...renderScore(bitten, [], isGood),
  ];
  expect(lines.at(-1)).toBe("3 of 5 faults caught (60.0 %), 2 by name (40.0 %), 1 alone");
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
});

test("a line that has no room for all that fail tells how many more there are", () => {
  const many = Array.from({ length: 30 }, (_, at) => `CONV-${String(at + 10)}`);
  const lines = renderMutations([score(fault("by/another"), result(...many))]);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines.join("\n")).toMatch(/CONV-10 .* \+\d+$/m);
});
