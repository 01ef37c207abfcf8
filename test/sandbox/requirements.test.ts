import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requirementIds, requirements } from "../../generated/requirements.ts";

const HERE = new URL(".", import.meta.url);

/** The titles of all sandbox tests. */
const titles = readdirSync(HERE, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .flatMap((file) => {
    const source = readFileSync(new URL(file, HERE), "utf8");
    return [...source.matchAll(/["'`]((?:[A-Z]{2,4}-\d\d,? ?(?:and |to )?)+: [^"'`\n]+)["'`]/g)];
  })
  .map(([, title = ""]) => title);

const driven = requirementIds.filter((id) => requirements[id].how.includes("driven"));

test("finds requirements and titles that name them", () => {
  expect(driven.length).toBeGreaterThan(20);
  expect(titles.length).toBeGreaterThan(driven.length);
});

test.each(driven)("%s has a test that names it", (id) => {
  expect(titles.filter((title) => title.includes(id))).not.toEqual([]);
});
