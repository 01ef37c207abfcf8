import { expect, test } from "vitest";
import { shortened, wrapped } from "../src/text.ts";

test("text within the limit is unchanged", () => {
  expect(shortened("abc", 3)).toBe("abc");
  expect(shortened("a\u{1f600}", 3)).toBe("a\u{1f600}");
});

test("longer text is cut and ends in an ellipsis", () => {
  expect(shortened("abcd", 3)).toBe("ab…");
  expect(shortened("abcd", 0)).toBe("…");
});

test.each([2, 3, 4, 5, 6])("a cut at %i leaves no half of a surrogate pair", (most) => {
  const text = shortened("a\u{1f600}\u{1f600}\u{1f600}", most);
  expect(text.isWellFormed()).toBe(true);
  expect(text.length).toBeLessThanOrEqual(most);
});

test.each([
  ["12 claims passed, 2.8 s", 20, ["12 claims passed,", "2.8 s"]],
  ["12 claims passed, 2.8 s", 23, ["12 claims passed, 2.8 s"]],
  ["within 30 s: none", 10, ["within", "30 s: none"]],
  ["2 sets of cards", 4, ["2", "sets", "of", "cards"]],
])("wrapped(%j, %i) keeps a number and its unit together", (text, width, lines) => {
  expect(wrapped(text, width)).toEqual(lines);
});
