import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  commonPrefix,
  jaroWinkler,
  LONGEST_WORD,
  trigramDice,
  trigramsOf,
} from "../../../src/model/matching/similarity.ts";

const word = fc.stringMatching(/^[A-E]{1,30}$/);

describe("jaroWinkler", () => {
  test.each([
    ["MARTHA", "MARHTA", 0.9611],
    ["DWAYNE", "DUANE", 0.84],
    ["DIXON", "DICKSONX", 0.8133],
    ["JONES", "JOHNSON", 0.8324],
    ["ABROMS", "ABRAMS", 0.9222],
    ["CAFE", "CAFE", 1],
    ["ABC", "XYZ", 0],
  ])("of %s and %s is %d", (a, b, score) => {
    expect(jaroWinkler(a, b)).toBeCloseTo(score, 4);
  });

  test("is symmetric, from 0 to 1, and 1 for equal words", () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const score = jaroWinkler(a, b);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(jaroWinkler(b, a)).toBeCloseTo(score, 12);
        expect(jaroWinkler(a, a)).toBe(1);
      }),
    );
  });

  test("accepts words up to the documented length", () => {
    const long = "ABCDEFGHIJKLMNOPQRSTUVWXYZABCD";
    expect(long).toHaveLength(LONGEST_WORD);
    expect(jaroWinkler(long, `${long.slice(0, -1)}E`)).toBeGreaterThan(0.97);
  });
});

test("a common prefix ends at the end of a text or at the first difference", () => {
  expect(commonPrefix("CORNERCAFE", "CORNER")).toBe(6);
  expect(commonPrefix("CORNERCAFE", "CORNERPUB")).toBe(6);
  expect(commonPrefix("", "CORNER")).toBe(0);
});

test.each([
  ["NIGHT", "NACHT", 0],
  ["CAFE", "CAFE", 1],
  ["CORNER", "CORNERS", 8 / 9],
  ["AAAA", "AAA", 1],
  ["AB", "AB", 0],
])("%s and %s have a trigram similarity of %d", (a, b, score) => {
  expect(trigramDice(trigramsOf(a), trigramsOf(b))).toBeCloseTo(score, 12);
});
