import { expect, test } from "vitest";
import { readOptions, selectMutants } from "../../mutants/options.ts";

const mutants = Array.from({ length: 40 }, (_, at) => {
  const file = `src/${at < 10 ? "a" : "b"}.ts`;
  return { id: String(at), key: `${file} f X: ${at} => 0`, file, line: 1 };
});
const select = (...args: string[]) =>
  selectMutants(mutants, readOptions(args), new Map([["src/b.ts f X: 11 => 0", "gap"]]));
const idsOf = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id);

test("without options all mutants run", () => {
  expect(select()).toEqual(mutants);
});

test("--only selects by the beginning of the key, or by the class", () => {
  expect(select("--only", "src/a.ts")).toEqual(mutants.slice(0, 10));
  expect(idsOf(select("--only", "src/b.ts f X: 12 => 0"))).toEqual(["12"]);
  expect(idsOf(select("--only", "gap"))).toEqual(["11"]);
  expect(select("--only", "src/a.ts", "--only", "gap").length).toBe(11);
});

test("a sample depends on the seed only, not on the other mutants", () => {
  const sample = select("--sample", "5", "--seed", "3");
  expect(sample.length).toBe(5);
  expect(select("--sample", "5", "--seed", "3")).toEqual(sample);
  expect(select("--sample", "5", "--seed", "4")).not.toEqual(sample);
  const inA = select("--sample", "12", "--seed", "3").filter(({ file }) => file === "src/a.ts");
  expect(select("--sample", "10", "--seed", "3", "--only", "src/a.ts")).toEqual(
    expect.arrayContaining(inA),
  );
});

test("the shards are disjoint, and together they are all mutants", () => {
  const parts = ["1/3", "2/3", "3/3"].flatMap((shard) => idsOf(select("--shard", shard)));
  expect(idsOf(select("--shard", "1/3")).slice(0, 2)).toEqual(["0", "3"]);
  expect(parts.toSorted()).toEqual(idsOf(mutants).toSorted());
});

test.each([
  [["--sample", "0"], "--sample must be an integer >= 1; got 0"],
  [["--seed", "1.5"], "--seed must be an integer >= 1; got 1.5"],
  [["--processes", ""], "--processes must be an integer >= 1; got "],
  [["--shard", "3/2"], "--shard takes a part such as 1/4; got 3/2"],
])("%j is refused in one line", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
