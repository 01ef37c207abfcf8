import { expect, test } from "vitest";
import { harmless, printable, shortened, wrapped } from "../src/text.ts";

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

test.each([
  ["::error::x", "\\u003a:error::x"],
  ["a\n \t\u3000::error::x", "a\n \t\u3000\\u003a:error::x"],
  ["\u001b[31m\u001b[1m  ::x\u001b[39m", "\u001b[31m\u001b[1m  \\u003a:x\u001b[39m"],
  ["a\r::error::x", "a\\u000d::error::x"],
  ["a\u2028::error::x", "a\\u2028::error::x"],
  ["::::x", "\\u003a:::x"],
  ["a ##[group]x", "a #\\u0023[group]x"],
  ["a ###vso[task.x]y", "a ##\\u0023vso[task.x]y"],
  ["##VSO[x]##teamcity[x]", "#\\u0023VSO[x]#\\u0023teamcity[x]"],
  ["\u001b[8m\u0085\u202e\u200b\ud800", "\\u001b[8m\\u0085\\u202e\\u200b\\ud800"],
])("harmless(%j) is %j", (text, expected) => {
  expect(harmless(text)).toBe(expected);
  expect(harmless(expected)).toBe(expected);
});

test.each(["a::b", "TXN-01: x", "## [1.0]", "#[x]", "a\n\tb\u{1f469}\u200d\u{1f4bb}", "std::x"])(
  "%j is harmless",
  (text) => expect(harmless(text)).toBe(text),
);

test("the escapes do not change the values of JSON", () => {
  const value = { "##vso[x]\\##[y]": "\\\u202e##teamcity[x]\n::error::\u0085\ud800", a: ["::x"] };
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
    expect(harmless(text)).not.toMatch(/##(vso|teamcity)?\[/);
    expect(JSON.parse(harmless(text))).toEqual(value);
  }
});

test("foreign text is escaped in linear time", () => {
  const startedAt = performance.now();
  for (const unit of [" ", ":", "#", "\n", " ::", "\u001b[1m", "##[", "\t:"]) {
    harmless(printable(unit.repeat(1_000_000 / unit.length)));
    harmless(unit.repeat(1_000_000 / unit.length));
  }
  expect(performance.now() - startedAt).toBeLessThan(8_000);
});
