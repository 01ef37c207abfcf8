import { expect, test } from "vitest";
import type { Mutation } from "../../mutation/mutation.ts";
import { score, tally } from "../../mutation/score.ts";
import { renderMutations, renderScore, renderTotals } from "../../mutation/table.ts";
import type { Result } from "../../mutation/task.ts";

const mutation = (id: string): Mutation => ({
  ...{ id, requirement: "TXN-09", description: "a sum", checks: [] },
});

const result = (...failing: string[]): Result => ({
  ...{ nr: 1, fired: 3, errors: [], durationMs: 1 },
  findings: failing.map((id) => ({ id, check: "", expected: "", actual: "" })),
  failedChecks: failing.map((id) => `${id}: a title`),
  failedClaims: [],
  ...(failing[0] !== undefined && { firstCause: failing[0] }),
});

const scores = [
  score(mutation("by/name"), result("TXN-09")),
  score(mutation("by/name-and-more"), result("CONV-04", "TXN-09")),
  score(mutation("by/another"), result("CONV-04")),
  score(mutation("not/caught"), result()),
  score(mutation("not/fired"), { ...result("TXN-09"), fired: 0 }),
];

test("a mutation is caught by name if its requirement failed", () => {
  expect(scores.map(({ outcome }) => outcome)).toEqual([
    ...["by name", "by name", "otherwise", "missed", "idle"],
  ]);
});

test("the tally counts the mutations that fail only their own requirement", () => {
  expect(tally(scores)).toEqual({
    ...{ mutations: 5, byName: 2, otherwise: 1, missed: 1, idle: 1, byNameOnly: 1, blind: 0 },
    firstCause: 2,
  });
});

test("the score is the last line", () => {
  const isGood = false;
  const lines = [
    ...renderMutations(scores),
    ...renderTotals(scores),
    ...renderScore(scores, [], isGood),
  ];
  expect(lines.at(-1)).toBe(
    "3 of 5 mutations caught (60.0 %), 2 by name (40.0 %), 1 by name only, " +
      "first cause right: 2 (40.0 %)",
  );
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
});

test("a missed check that must see a mutation is listed", () => {
  const checks = ["TXN-09: a title", "TXN-09: another title"];
  const own = score({ ...mutation("by/name"), checks }, result("TXN-09"));
  expect(own.blind).toEqual(["TXN-09: another title"]);
  expect(renderMutations([own]).join("\n")).toContain("not seen by TXN-09: another title");
  expect(renderScore([own], [], false).at(-1)).toContain("1 not seen by a check that must see");
});

test("a line counts the failing requirements that do not fit", () => {
  const many = Array.from({ length: 30 }, (_, at) => `CONV-${String(at + 10)}`);
  const lines = renderMutations([score(mutation("by/another"), result(...many))]);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines.join("\n")).toMatch(/CONV-10 .* \+\d+$/m);
});
