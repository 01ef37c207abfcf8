import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { classOf, readClassified, staleEntries } from "../../mutants/classified.ts";
import { scoredBy, tally } from "../../mutants/table.ts";
import type { Outcome, Verdict } from "../../mutants/task.ts";

const folder = mkdtempSync(join(tmpdir(), "classified-"));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const file = join(folder, "classified.yaml");
  writeFileSync(file, text);
  return readClassified(file);
}

const GOOD = `
- as: open
  reading: The matcher's weights are open.
  mutants: ["a.ts f X: 1 => 2", "a.ts g X: 1 => 2"]
- {as: gap, why: no check, mutants: ["b.ts f X: 1 => 2"]}
`;

test("each key has the class of its entry", () => {
  expect([...read(GOOD)]).toEqual([
    ["a.ts f X: 1 => 2", "open"],
    ["a.ts g X: 1 => 2", "open"],
    ["b.ts f X: 1 => 2", "gap"],
  ]);
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
  const classified = read(GOOD);
  const keys = new Set(["a.ts f X: 1 => 2", "a.ts g X: 1 => 2"]);
  const outcomes = new Map<string, Outcome>([["a.ts f X: 1 => 2", "caught"]]);
  expect(staleEntries(classified, keys, outcomes)).toEqual([
    "stale: caught: a.ts f X: 1 => 2",
    "stale: there is no mutant b.ts f X: 1 => 2",
  ]);
  const missed = new Map<string, Outcome>([["a.ts f X: 1 => 2", "missed"]]);
  expect(staleEntries(read(GOOD.slice(0, GOOD.indexOf("- {"))), keys, missed)).toEqual([]);
});

test("an entry that ends in * is for all keys with that beginning, unless they have their own", () => {
  const wide = "- {as: control, why: w, mutants: [a.ts *, c.ts *]}";
  const classified = read(`${GOOD}\n${wide}\n- {as: gap, why: w, mutants: [a.ts h *]}`);
  expect(classOf(classified, "a.ts f X: 1 => 2")).toBe("open");
  expect(classOf(classified, "a.ts i X: 1 => 2")).toBe("control");
  expect(classOf(classified, "a.ts h X: 1 => 2")).toBe("gap");
  expect(classOf(classified, "b.ts i X: 1 => 2")).toBeUndefined();
  const keys = new Set([...GOOD.matchAll(/\w\.ts \w X: 1 => 2/g)].map(([key]) => key));
  expect(staleEntries(classified, keys, new Map())).toEqual([
    "stale: there is no mutant c.ts *",
    "stale: there is no mutant a.ts h *",
  ]);
});

test("the totals count missed mutants by class, and those without one", () => {
  const verdictOf = (outcome: Outcome): Verdict => ({ outcome, requirements: [], durationMs: 0 });
  const outcomes = {
    "a.ts f X: 1 => 2": "missed",
    "a.ts g X: 1 => 2": "caught",
    "b.ts f X: 1 => 2": "missed",
    "c.ts f X: 1 => 2": "missed",
  } as const;
  const mutants = Object.keys(outcomes).map((key) => ({ id: key, key, file: "a.ts", line: 1 }));
  const verdicts = new Map(
    Object.entries(outcomes).map(([key, outcome]) => [key, verdictOf(outcome)] as const),
  );
  expect(tally(scoredBy(mutants, verdicts, read(GOOD)))).toMatchObject({
    ...{ mutants: 4, equivalent: 0, caught: 1, byName: 0 },
    ...{ open: 1, control: 0, gap: 1, unclassified: 1 },
  });
});
