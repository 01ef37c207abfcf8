import { expect, test } from "vitest";
import { type Fault, isPassing, LEAST, type Observed, score, tally } from "../../mutation/score.ts";
import { renderFaults, renderScore, renderTotals } from "../../mutation/table.ts";

const fault = (id: string, more: Partial<Fault> = {}): Fault => {
  return { id, breaks: ["TXN-09"], claims: ["TXN-09.sums"], group: "TXN", ...more };
};
const mutant = (id: string, missedAs?: Fault["missedAs"]) =>
  fault(id, { breaks: ["TXN"], claims: [], missedAs });

const observed = (...failed: string[]): Observed => ({
  ...{ fired: 3, failed, firstCause: failed[0] },
  failedClaims: failed.map((id) => `${id}.sums`),
});

const cases = [
  [fault("its requirement failed"), observed("TXN-09"), "by name"],
  [fault("others failed, too"), observed("CONV-04", "TXN-09"), "by name"],
  [fault("only others failed"), observed("CONV-04"), "otherwise"],
  [fault("only a long script shows it"), { ...observed("TXN-09"), steps: 6 }, "otherwise"],
  [fault("nothing failed"), observed(), "missed"],
  [fault("it changed nothing"), { ...observed("TXN-09"), fired: 0 }, "idle"],
  [mutant("a mutant fails its group"), observed("TXN-01"), "by name"],
  [mutant("an open mutant is missed", "open"), observed(), "open"],
  [mutant("a mutant shows nothing"), { ...observed(), outcome: "equivalent" }, "equivalent"],
] as const;

const all = cases.map(([one, result]) => {
  return { fault: one, score: score(one, result), result: { ...result, errors: [] } };
});
const scores = all.map((one) => one.score);

test("the outcome of a bug follows from what failed", () => {
  const outcomes = all.map((one) => [one.fault.id, one.score.outcome]);
  expect(outcomes).toEqual(cases.map(([{ id }, , outcome]) => [id, outcome]));
});

test("a claim that must fail but did not is blind", () => {
  expect(scores.map(({ blind }) => blind.length)).toEqual([0, 0, 1, 0, 1, 0, 0, 0, 0]);
  expect(renderFaults(all).join("\n")).toContain("TXN-09.sums did not fail");
});

test("the tally counts outcomes, and right first causes where the cause is known", () => {
  expect(tally(scores)).toEqual({
    outcomes: { "by name": 3, otherwise: 2, missed: 1, idle: 1, open: 1, equivalent: 1 },
    ...{ faults: 9, visible: 8, caught: 5, byName: 3, blind: 2, explained: 6, firstCause: 4 },
  });
});

test("a run passes if every claim failed, and nine of ten first causes are right", () => {
  const right = Array.from({ length: 9 }, () => score(fault("a"), observed("TXN-09", "CONV-04")));
  const wrong = score(fault("b"), observed("CONV-04", "TXN-09"));
  expect(isPassing([...right, wrong], LEAST)).toBe(true);
  expect(isPassing([...right, wrong, wrong], LEAST)).toBe(false);
  expect(isPassing([wrong])).toBe(true);
  expect(isPassing([...right, score(fault("c"), observed("CONV-04"))])).toBe(false);
  expect(isPassing([score(mutant("d", "gap"), observed())])).toBe(false);
});

test("the table fits, and counts the failing requirements that do not", () => {
  const many = Array.from({ length: 30 }, (_, at) => `CONV-${String(at + 10)}`);
  const result = { ...observed(...many), errors: [] };
  const more = { fault: fault("many"), result, score: score(fault("many"), result) };
  const lines = [...renderFaults([...all, more]), ...renderTotals(all)];
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines.join("\n")).toMatch(/CONV-10 .* \+\d+$/m);
  expect(renderScore(all, [], false).at(-1)).toBe(
    "5 of 8 bugs caught (62.5 %), 3 by name (37.5 %), first cause right: 4 of 6, " +
      "2 with a claim that did not fail",
  );
});
