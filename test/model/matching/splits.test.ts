import { expect, test } from "vitest";
import { findSplits } from "../../../src/model/matching/splits.ts";

const debits = (...cents: number[]) => cents.map((each, at) => ({ at, cents: each }));
const none = debits();

/** The indexes of the debits of each split. */
function splitsOf(cents: number, named: typeof none, unnamed = none): number[][] {
  return findSplits(cents, named, unnamed).map((split) => split.map(({ at }) => at));
}

test.each([
  ["two debits", 300, [120, 180], "0 1"],
  ["three of four debits", 300, [120, 50, 99, 130], "0 1 3"],
  ["two ways", 300, [120, 180, 100, 200], "0 1, 2 3"],
  ["no way", 300, [120, 190], ""],
  ["no subset if only all five debits add up", 15, [1, 2, 3, 4, 5], ""],
  ["no debits", 300, [], ""],
])("finds %s", (_what, cents, named, ways) => {
  const found = splitsOf(cents, debits(...named));
  expect(found.map((way) => way.join(" ")).join(", ")).toBe(ways);
});

test("a split has at least one named debit", () => {
  const unnamed = debits(180, 100, 20);
  expect(splitsOf(300, [{ at: 7, cents: 120 }], unnamed)).toEqual([[7, 0]]);
  expect(splitsOf(300, [], unnamed)).toEqual([]);
});

test("searches 24 debits, first those that name the merchant", () => {
  const named = debits(...Array.from({ length: 22 }, () => 1));
  const unnamed = [30, 31, 32].map((at) => ({ at, cents: 100 }));
  // Only two of the three unnamed debits fit in 24, after the 22 named ones.
  expect(splitsOf(101, named, unnamed).every((way) => !way.includes(32))).toBe(true);
  expect(splitsOf(103, named, unnamed)).toHaveLength(16);
});

test("hundreds of debits with no valid sum or only valid sums finish in time", () => {
  expect(splitsOf(301, debits(...Array.from({ length: 400 }, (_, at) => 2 * at + 2)))).toEqual([]);
  const ones = debits(...Array.from({ length: 400 }, () => 1));
  expect(splitsOf(4, ones, ones)).toHaveLength(16);
});
