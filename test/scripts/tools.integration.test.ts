import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generators } from "../../scripts/tools/generators.ts";
import { serverTools } from "../../scripts/tools/servers.ts";
import { ROOT } from "../document.ts";
import { run } from "../support/program.ts";

const tools = [...generators, ...serverTools];

test("docs/tools.md has a row for each tool of check:tools, with its version", () => {
  const docs = readFileSync(`${ROOT}docs/tools.md`, "utf8");
  const rows = docs.split("\n").flatMap((line) => /^\| (\S.*?) \| (\d\S*) \|/.exec(line) ?? []);
  const pairs = rows.filter((_, at) => at % 3 !== 0);
  expect(pairs).toEqual(tools.flatMap(({ name, version }) => [name, version]));
});

test.each(tools)("$name is pinned to exact versions", ({ packages }) => {
  for (const version of Object.values(packages)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("an unknown tool is rejected with the names of all", async () => {
  const { status, stderr } = await run("scripts/tools/main.ts", ["--only", "swashbuckle"]);
  expect(status).toBe(2);
  const names = tools.map(({ name }) => name).join(", ");
  expect(stderr).toBe(
    `check:tools: --only: no tool starts with "swashbuckle"; the tools are ${names} (see: npm run check:tools -- --help)\n`,
  );
});
