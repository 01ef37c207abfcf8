import { expect, test } from "vitest";
import { mutations } from "../../mutation/mutations/index.ts";
import { readOptions } from "../../mutation/options.ts";
import { selectMutations, touchedGroups } from "../../mutation/select.ts";
import { UsageError } from "../../src/errors.ts";

const touched = (...files: string[]) => [...touchedGroups(files)].sort();

test("a check's file selects its own group", () => {
  expect(touched("conformance/checks/page/links.ts")).toEqual(["PAGE"]);
});

test("a scenario selects each group whose checks use it", () => {
  const groups = touched("conformance/scenarios/removals.ts");
  expect(groups).toContain("MAT");
  expect(groups).not.toContain("AUTH");
});

test("a file of mutations selects their group", () => {
  expect(touched("mutation/mutations/nbf.ts")).toEqual(["NBF"]);
});

test("the sandbox, the session and the mutation kit select every group", () => {
  const all = touched("src/sandbox/index.ts");
  expect(all.length).toBeGreaterThan(10);
  expect(touched("mutation/mutant.ts")).toEqual(all);
  expect(touched("conformance/check.ts")).toEqual(all);
});

test("documents, tests and the client select no group", () => {
  expect(touched("README.md", "test/options.test.ts", "src/cli/main.ts")).toEqual([]);
});

test("shards divide the mutations among them", async () => {
  const parts = await Promise.all(
    [1, 2, 3, 4].map((nr) => selectMutations(mutations, { shard: { nr, of: 4 } })),
  );
  const ids = parts.flat().map(({ id }) => id);
  expect(ids.toSorted()).toEqual(mutations.map(({ id }) => id).toSorted());
  expect(Math.max(...parts.map(({ length }) => length))).toBe(Math.ceil(mutations.length / 4));
});

test("--only takes ids, prefixes of ids and requirements", async () => {
  const idsOf = async (only: string) =>
    (await selectMutations(mutations, { only })).map(({ id }) => id);
  expect(await idsOf("page/no-self")).toEqual(["page/no-self"]);
  expect((await idsOf("nbf")).every((id) => id.startsWith("nbf/"))).toBe(true);
  expect(await idsOf("MSG-02")).toContain("msg/superseded-alone");
});

test("--changed takes a revision (default: main)", () => {
  expect(readOptions(["--changed"])).toMatchObject({ changed: "main", shard: undefined });
  expect(readOptions(["--changed", "HEAD~1"])).toMatchObject({ changed: "HEAD~1" });
  expect(readOptions(["--shard", "2/4"])).toMatchObject({ shard: { nr: 2, of: 4 } });
});

test.each([
  ["--shard", "5/4"],
  ["--shard", "0/4"],
  ["--shard", "2"],
  ["--scripts", "x"],
  ["--processes", "0"],
  ["HEAD"],
  ["--only", "page", "--changed"],
])("%s %s is refused with one line", (...args) => {
  expect(() => readOptions(args)).toThrow(UsageError);
});
