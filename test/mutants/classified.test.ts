import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { classOf, readClassified, staleEntries } from "../../mutants/plan.ts";
import type { Score } from "../../mutation/score.ts";

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
- {as: control, why: a default, mutants: [a.ts *, c.ts *]}
`;
const keys = ["a.ts f X: 1 => 2", "a.ts g X: 1 => 2", "a.ts h X: 1 => 2", "b.ts f X: 1 => 2"];

test("a mutant has the class of its own entry, or of a beginning of its key", () => {
  const classes = [...keys, "d.ts f X: 1 => 2"].map((key) => classOf(read(GOOD), key));
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
  expect(staleEntries(read(GOOD), new Set(keys.slice(0, 3)), scores)).toEqual([
    "stale: by name: a.ts f X: 1 => 2",
    "stale: there is no mutant b.ts f X: 1 => 2",
    "stale: there is no mutant c.ts *",
  ]);
});
