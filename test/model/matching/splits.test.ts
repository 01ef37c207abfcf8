import { expect, test } from "vitest";
import { findSplits, type PartialDebit } from "../../../src/model/matching/splits.ts";

const debits = (...cents: number[]): PartialDebit[] =>
  cents.map((each, posting) => ({ posting, cents: each }));

test.each<[string, number, PartialDebit[], number[][]]>([
  ["two debits", 300, debits(120, 180), [[0, 1]]],
  ["three of four debits", 300, debits(120, 50, 99, 130), [[0, 1, 3]]],
  [
    "two ways",
    300,
    debits(120, 180, 100, 200),
    [
      [0, 1],
      [2, 3],
    ],
  ],
  ["no way", 300, debits(120, 190), []],
  ["no subset if only all five debits add up", 15, debits(1, 2, 3, 4, 5), []],
  ["no debits", 300, [], []],
])("finds %s", (_what, cents, named, ways) => {
  expect(findSplits(cents, named, [])).toEqual(ways);
});

test("a split has at least one named debit, and its debits are in order", () => {
  const unnamed = debits(180, 100, 20);
  expect(findSplits(300, [{ posting: 7, cents: 120 }], unnamed)).toEqual([[0, 7]]);
  expect(findSplits(300, [], unnamed)).toEqual([]);
});

test("searches 24 debits, first those that name the merchant", () => {
  const named = debits(...Array.from({ length: 22 }, () => 1));
  const unnamed = [30, 31, 32].map((posting) => ({ posting, cents: 100 }));
  // Only two of the three unnamed debits fit in 24, after the 22 named ones.
  expect(findSplits(101, named, unnamed).every((way) => !way.includes(32))).toBe(true);
  expect(findSplits(103, named, unnamed)).toHaveLength(16);
});

test("hundreds of debits with no valid sum or only valid sums finish in time", () => {
  const even = debits(...Array.from({ length: 400 }, (_, at) => 2 * at + 2));
  expect(findSplits(301, even, [])).toEqual([]);
  const ones = debits(...Array.from({ length: 400 }, () => 1));
  expect(findSplits(4, ones, ones)).toHaveLength(16);
});
