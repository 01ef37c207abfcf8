import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keysOf, type Place } from "../../mutants/instrument.ts";
import { classOf, readClassified, staleEntries } from "../../mutants/plan.ts";
import type { Score } from "../../mutation/score.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The place of the nth occurrence of a text. */
function placeOf(source: string, text: string, nth = 1): Place {
  let at = -1;
  for (let count = 0; count < nth; count += 1) at = source.indexOf(text, at + 1);
  const positionOf = (offset: number) => {
    const before = source.slice(0, offset).split("\n");
    return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
  };
  const [start, end] = [positionOf(at), positionOf(at + text.length)];
  return { start, end, mutatorName: "EqualityOperator", replacement: "true" };
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

test.each([
  ["1 > 0", "LIMIT"],
  ["3 > 2", "Clock.late"],
  ["5 > 4", "Clock.isAhead"],
  ["ms > 1", "Clock.moveTo"],
  ["score > 1", "settles"],
])("the key of %s names its file, %s, the mutator and the change, wherever it is", (text, name) => {
  const key = `a.ts ${name} EqualityOperator: ${text} => true`;
  expect(keysOf("a.ts", SOURCE, [placeOf(SOURCE, text)])).toEqual([key]);
  const edited = `// A comment.\nfunction other() { return 9 > 8; }\n${SOURCE}`;
  expect(keysOf("a.ts", edited, [placeOf(edited, text)])).toEqual([key]);
});

test("equal mutants of a function are numbered", () => {
  const key = "a.ts Clock.moveTo EqualityOperator: ms > 1 => true";
  const places = [1, 2].map((nth) => placeOf(SOURCE, "ms > 1", nth));
  expect(keysOf("a.ts", SOURCE, places)).toEqual([key, `${key} #2`]);
});

test("the keys of two long originals are short, and differ", () => {
  const keys = ["a", "b"].flatMap((end) => {
    const source = `function f() { return ${"x + ".repeat(40)}${end} > 1; }`;
    return keysOf("a.ts", source, [placeOf(source, source.slice(22, -3))]);
  });
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(key.length).toBeLessThan(140);
});

function read(text: string) {
  const file = join(tempDir(), "classified.yaml");
  writeFileSync(file, text);
  return readClassified(file);
}

const GOOD = `
- as: open
  reading: The matcher's weights are open.
  mutants: ["a.ts f X: 1 => 2", "a.ts g X: 1 => 2"]
- {as: gap, why: no check, mutants: ["b.ts f X: 1 => 2"]}
- {as: control, why: a default, mutants: [a.ts *, c.ts *]}
`;
const KEYS = ["a.ts f X: 1 => 2", "a.ts g X: 1 => 2", "a.ts h X: 1 => 2", "b.ts f X: 1 => 2"];

test("a mutant has the class of its own entry, or of a beginning of its key", () => {
  const classes = [...KEYS, "d.ts f X: 1 => 2"].map((key) => classOf(read(GOOD), key));
  expect(classes).toEqual(["open", "open", "control", "gap", undefined]);
});

test.each([
  ["- {as: fine, why: w, mutants: [k]}", "entry 1: as must be open, control or gap"],
  ["- {as: open, why: w, mutants: [k]}", "entry 1: reading is missing"],
  ["- {as: control, mutants: [k]}", "entry 1: why is missing"],
  ["- {as: gap, why: w, mutants: []}", "entry 1: mutants must be a list of keys"],
  ["- {as: gap, why: w, mutants: [k]}\n- {as: gap, why: w, mutants: [k]}", "entry 2: k"],
  ["text", "entry 1: as must be open, control or gap"],
])("the entry %j is refused in one line", (text, problem) => {
  expect(() => read(text)).toThrow(`mutants: classified.yaml: ${problem}`);
});

test("an entry is stale if its mutant is gone or no longer missed", () => {
  const scores = new Map([
    ["a.ts f X: 1 => 2", { outcome: "by name" } as Score],
    ["a.ts g X: 1 => 2", { outcome: "open" } as Score],
  ]);
  expect(staleEntries(read(GOOD), new Set(KEYS.slice(0, 3)), scores)).toEqual([
    "stale: by name: a.ts f X: 1 => 2",
    "stale: there is no mutant b.ts f X: 1 => 2",
    "stale: there is no mutant c.ts *",
  ]);
});
