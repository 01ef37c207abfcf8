import { expect, test } from "vitest";
import { exclusions } from "../../generated/exclusions.ts";
import { claims, requirementIds } from "../../generated/requirements.ts";
import { mutations } from "../../mutation/mutations/index.ts";
import { readOptions, select } from "../../mutation/options.ts";

test("each mutation has an id of its own", () => {
  const ids = mutations.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test("each mutation describes its bug in one line", () => {
  const invalid = mutations.filter(({ description }) => !/^.{20,90}$/.test(description));
  expect(invalid.map(({ id }) => id)).toEqual([]);
});

test("no description has the name of a function", () => {
  const named = mutations.filter(({ description }) => /\b(is|has)[A-Z]/.test(description));
  expect(named.map(({ id }) => id)).toEqual([]);
});

test("each mutation has a hook", () => {
  const idle = mutations.filter(({ http, deliveries, inside }) => !(http ?? deliveries ?? inside));
  expect(idle.map(({ id }) => id)).toEqual([]);
});

test("each requirement that a run decides has a mutation", () => {
  const broken = new Set(
    mutations.flatMap((one) => one.claims.map((id) => claims[id].requirement)),
  );
  const decided = requirementIds.filter((id) => !(id in exclusions));
  expect(decided.filter((id) => !broken.has(id))).toEqual([]);
});

const ids = Array.from({ length: 40 }, (_, at) => `src/${at < 10 ? "a" : "b"}.ts f X: ${at} => 0`);
const faults = ids.map((id, at) => {
  return { id, breaks: [at === 3 ? "TXN-09" : "MSG"], missedAs: at === 11 ? "gap" : undefined };
}) as Parameters<typeof select>[0];
const selected = (...args: string[]) => select(faults, readOptions(args)).map(({ id }) => id);

test.each([
  ["all bugs without options", [], ids],
  ["a file", ["--only", "src/a.ts"], ids.slice(0, 10)],
  ["a folder", ["--only", "src"], ids],
  ["one bug by its id", ["--only", ids[12] ?? ""], ids.slice(12, 13)],
  ["a requirement", ["--only", "TXN-09"], ids.slice(3, 4)],
  ["a class", ["--only", "gap"], ids.slice(11, 12)],
  ["two selections", ["--only", "TXN-09", "--only", "gap"], [ids[3], ids[11]]],
  ["a list", ["--only", "TXN-09,gap"], [ids[3], ids[11]]],
  ["no other start of an id", ["--only", "src/a"], []],
])("%s: selected by %j", (_, args, wanted) => {
  expect(selected(...args)).toEqual(wanted);
});

test("a sample depends on the seed only, not on the other bugs", () => {
  const sample = selected("--sample", "5", "--seed", "3");
  expect(sample.length).toBe(5);
  expect(selected("--sample", "5", "--seed", "3")).toEqual(sample);
  expect(selected("--sample", "5", "--seed", "4")).not.toEqual(sample);
  const inA = selected("--sample", "12", "--seed", "3").filter((id) => id.startsWith("src/a.ts"));
  expect(selected("--sample", "10", "--seed", "3", "--only", "src/a.ts")).toEqual(
    expect.arrayContaining(inA),
  );
});

test("the shards are disjoint, and together they are all bugs", () => {
  const parts = ["1/3", "2/3", "3/3"].flatMap((shard) => selected("--shard", shard));
  expect(parts.toSorted()).toEqual(ids.toSorted());
});

test.each([
  [["--sample", "0"], "--sample must be an integer >= 1; got 0"],
  [["--processes", ""], "--processes must be an integer >= 1; got "],
  [["--scripts", "x"], "--scripts takes a whole number"],
  [["--shard", "3/2"], "--shard takes a part such as 1/4; got 3/2"],
  [["--mutants", "--sequences"], "--sequences and --mutants exclude each other"],
])("%j is refused in one line", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
