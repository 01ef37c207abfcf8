import { expect, test } from "vitest";
import { keysOf, type Place } from "../../mutants/keys.ts";

/** The place of the nth occurrence of a text. */
function placeOf(source: string, text: string, replacement: string, nth = 1): Place {
  let at = -1;
  for (let count = 0; count < nth; count += 1) at = source.indexOf(text, at + 1);
  const positionOf = (offset: number) => {
    const before = source.slice(0, offset).split("\n");
    return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
  };
  const [start, end] = [positionOf(at), positionOf(at + text.length)];
  return { start, end, mutatorName: "EqualityOperator", replacement };
}

const SOURCE = `const LIMIT = 1 > 0;
export class Clock {
  readonly late = 3 > 2;
  get isAhead() { return 5 > 4; }
  moveTo(ms: number) {
    const check = () => ms > 1;
    return check() && ms > 1;
  }
}
export function settles(score: number) { return score > 1; }
`;

test("a key names the file, the function, the mutator, the original and the replacement", () => {
  expect(keysOf("src/a.ts", SOURCE, [placeOf(SOURCE, "score > 1", "score >= 1")])).toEqual([
    "src/a.ts settles EqualityOperator: score > 1 => score >= 1",
  ]);
});

test.each([
  ["1 > 0", "LIMIT"],
  ["3 > 2", "Clock.late"],
  ["5 > 4", "Clock.isAhead"],
  ["ms > 1", "Clock.moveTo"],
])("the key of %s has the name %s", (text, name) => {
  const [key] = keysOf("a.ts", SOURCE, [placeOf(SOURCE, text, "true")]);
  expect(key).toBe(`a.ts ${name} EqualityOperator: ${text} => true`);
});

test("equal mutants of a function are numbered", () => {
  const places = [1, 2].map((nth) => placeOf(SOURCE, "ms > 1", "true", nth));
  const key = "a.ts Clock.moveTo EqualityOperator: ms > 1 => true";
  expect(keysOf("a.ts", SOURCE, places)).toEqual([key, `${key} #2`]);
});

test("a key survives edits elsewhere in its file", () => {
  const edited = `// A comment.\nfunction other() { return 9 > 8; }\n${SOURCE}`;
  const key = (source: string) => keysOf("a.ts", source, [placeOf(source, "ms > 1", "true")]);
  expect(key(edited)).toEqual(key(SOURCE));
});

test("a long original is cut, and the keys of two long originals differ", () => {
  const sources = ["a", "b"].map(
    (end) => `function f() { return ${"x + ".repeat(40)}${end} > 1; }`,
  );
  const keys = sources.flatMap((source) =>
    keysOf("a.ts", source, [placeOf(source, source.slice(22, -3), "1")]),
  );
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(key.length).toBeLessThan(140);
});
