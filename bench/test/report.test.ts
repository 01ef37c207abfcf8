import { expect, test } from "vitest";
import { run } from "../../test/support/program.ts";
import { median, rotate } from "../measure.ts";
import { atMost, ratioText, renderTable, renderTargets } from "../report.ts";

test("the median is the middle value, or the mean of the two middle values", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 2, 4, 1])).toBe(3);
  expect(() => median([])).toThrow("at least one value");
});

test("a full rotation puts each value first once", () => {
  expect([0, 1, 2, 3].map((turn) => rotate(["a", "b", "c"], turn)[0])).toEqual([
    "a",
    "b",
    "c",
    "a",
  ]);
});

test("a table aligns its columns", () => {
  const text = renderTable({
    title: "Speed",
    columns: ["first", "second"],
    rows: [["a longer name", "1.00", "10.0"], ["b", "0.10", "2.00"], ["c: can't be set up"]],
    notes: ["a note"],
  });
  expect(text).toBe(`Speed

                  first   second
  a longer name    1.00     10.0
  b                0.10     2.00
  c: can't be set up

  a note
`);
});

test("a target is met, not met or not measured", () => {
  const targets = [
    atMost("speed", 1.15, 1.14, ratioText),
    atMost("size", 1.15, 1.16, ratioText),
    { what: "receiver", limit: "≤ 15 %", measured: "-", isMet: null },
  ];
  const [, , , ...lines] = renderTargets(targets).split("\n");
  expect(lines.map((line) => line.split(/ {3,}/).at(-1))).toEqual([
    "met",
    "not met",
    "not measured",
    "",
  ]);
});

test("a quick run exits with 0 even if targets are missed", async () => {
  const args = ["--quick", "--processes", "1", "--only", "reject,receiver,size"];
  const { status, stdout, stderr } = await run("bench/main.ts", args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("validators and rules, minified and gzipped");
  expect(stdout).toContain("rejecting an invalid transaction, with parsing");
  expect(stdout).toContain("receiver, added to a bare server");
  expect(stdout).toContain("txfeed/client, minified and gzipped");
});

test("long walks stay within the memory target", async () => {
  const { status, stdout, stderr } = await run("bench/main.ts", ["--only", "walk"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const verdicts = stdout.split("\n").filter((line) => line.includes("memory of ten times"));
  expect(verdicts.map((line) => line.split(/ {3,}/).at(-1))).toEqual(["met", "met"]);
});

test.each([
  [["--only", "speed"], 'bench: unknown section "speed"'],
  [["--processes", "0"], "bench: --processes must be an integer >= 1; got 0"],
  [["--fast"], 'bench: unknown option "--fast"'],
])("%j is a usage error", async (args, line) => {
  const { status, stderr } = await run("bench/main.ts", args);
  expect(status).toBe(2);
  expect(stderr).toContain(line);
});
