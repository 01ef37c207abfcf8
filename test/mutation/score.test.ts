import { expect, test } from "vitest";
import { type Fault, isPassing, type Observed, score, tally } from "../../mutation/score.ts";
import { renderFaults, renderScore, renderTotals } from "../../mutation/table.ts";

const fault = (id: string): Fault => ({ id, requirement: "TXN-09", claims: ["TXN-09.sums"] });

const observed = (...failed: string[]): Observed => ({
  ...{ fired: 3, failed, firstCause: failed[0] },
  failedClaims: failed.map((id) => `${id}.sums`),
});

const all = (
  [
    ["by/name", observed("TXN-09")],
    ["by/name-and-more", observed("CONV-04", "TXN-09")],
    ["by/another", observed("CONV-04")],
    ["not/caught", observed()],
    ["not/fired", { ...observed("TXN-09"), fired: 0 }],
  ] as const
).map(([id, one]) => {
  return { fault: fault(id), score: score(fault(id), one), result: { ...one, errors: [] } };
});
const scores = all.map((one) => one.score);

test("a fault is caught by name if its requirement failed", () => {
  expect(scores.map(({ outcome }) => outcome)).toEqual([
    ...["by name", "by name", "otherwise", "missed", "idle"],
  ]);
});

test("a claim that must fail but did not is blind", () => {
  expect(scores.map(({ blind }) => blind.length)).toEqual([0, 0, 1, 1, 0]);
  expect(renderFaults(all).join("\n")).toContain("TXN-09.sums did not fail");
});

test("the tally counts outcomes, and right first causes where the cause is known", () => {
  expect(tally(scores)).toEqual({
    ...{ faults: 5, byName: 2, otherwise: 1, missed: 1, idle: 1, blind: 2 },
    ...{ explained: 4, firstCause: 2 },
  });
});

test("a run passes if every claim failed, and nine of ten first causes are right", () => {
  const right = Array.from({ length: 9 }, () => score(fault("a"), observed("TXN-09", "CONV-04")));
  const wrong = score(fault("b"), observed("CONV-04", "TXN-09"));
  expect(isPassing([...right, wrong])).toBe(true);
  expect(isPassing([...right, wrong, wrong])).toBe(false);
  expect(isPassing([wrong], true)).toBe(true);
  expect(isPassing([...right, score(fault("c"), observed("CONV-04"))], true)).toBe(false);
});

test("the score is the last line", () => {
  const lines = [...renderFaults(all), ...renderTotals(all), ...renderScore(all, [], false)];
  expect(lines.at(-1)).toBe(
    "3 of 5 mutations caught (60.0 %), 2 by name (40.0 %), first cause right: 2 of 4, " +
      "2 with a claim that did not fail",
  );
  expect(lines.slice(0, -1).filter((line) => line.length > 100)).toEqual([]);
});

test("a line counts the failing requirements that do not fit", () => {
  const many = Array.from({ length: 30 }, (_, at) => `CONV-${String(at + 10)}`);
  const result = { ...observed(...many), errors: [] };
  const lines = renderFaults([
    { fault: fault("by/another"), score: score(fault("a"), result), result },
  ]);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines.join("\n")).toMatch(/CONV-10 .* \+\d+$/m);
});
