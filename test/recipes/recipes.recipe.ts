import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AUDIENCES } from "../../src/breaks/change.ts";
import { ROOT } from "../document.ts";
import { addEvent, addEventExample, sendEvent } from "./additions.ts";
import { Checkout } from "./checkout.ts";
import { type Recipe, recipes } from "./recipes.ts";

/** Applies each recipe of CONTRIBUTING to a copy of the checkout. */

/** Files that every change of a shape changes. */
const VALIDATORS = ["schema-index.ts", "validators.js"];

/** The changed files in the output of `generate`. */
function changedFiles(stdout: string): string[] {
  const [, names = ""] = /^generated\/ has .* changed: (.+), \d+\.\d s$/m.exec(stdout) ?? [];
  return names.split(", ").filter((name) => !VALIDATORS.includes(name));
}

test.each<[string, Recipe]>(recipes.map((recipe) => [recipe.name, recipe]))(
  "the recipe for %s matches the output of its commands",
  async (_name, { apply, refused, mend, generated, byHand, gaps = [], breaks, verdict }) => {
    const checkout = await Checkout.copy();
    await apply(checkout);
    if (refused) {
      const { status, stderr } = await checkout.generate();
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(refused) });
      await mend?.(checkout);
    }
    const { status, stdout, stderr } = await checkout.generate();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(changedFiles(stdout).sort()).toEqual([...generated].sort());

    const lines = (await checkout.coverage()).stderr.split("\n").slice(0, -1);
    expect(lines.map((line) => line.split(": ").slice(0, 2).join(": "))).toEqual(gaps);
    expect(await checkout.filesWithTypeErrors()).toEqual(byHand);

    const { status: exit, breakage } = await checkout.breaks();
    expect(breakage).toMatchObject({ audiences: breaks, verdict });
    expect(exit).toBe(verdict === "major" ? 1 : 0);
  },
);

test("an event takes three edits: its definition, an example, and a verb that sends it", async () => {
  const checkout = await Checkout.copy();
  await addEvent(checkout);
  await addEventExample(checkout);
  expect(await checkout.generate()).toMatchObject({ status: 0 });
  await sendEvent(checkout);
  expect(await checkout.generate()).toMatchObject({ status: 0, stderr: "" });
  expect(await checkout.coverage()).toMatchObject({ status: 0, stderr: "" });
  expect(await checkout.filesWithTypeErrors()).toEqual([]);
  expect(await checkout.read("generated/openapi.json")).toContain('"cardholder-enrollment"');
});

test("generate makes generated/ from nothing", async () => {
  const checkout = await Checkout.copy();
  const committed = await checkout.read("generated/openapi.json");
  await checkout.remove("generated");
  expect(await checkout.generate()).toMatchObject({ status: 0, stderr: "" });
  expect(await checkout.read("generated/openapi.json")).toBe(committed);
});

test("generate names a mistake in the code that plays the scripts, and changes nothing", async () => {
  const checkout = await Checkout.copy();
  const file = "src/world/activity/purchase.ts";
  const committed = await checkout.read("generated/openapi.json");
  await checkout.write(file, `${await checkout.read(file)}\nexport const x = ;\n`);
  const { status, stderr } = await checkout.generate();
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(file) });
  expect(stderr.split("\n")).toHaveLength(2);
  expect(await checkout.read("generated/openapi.json")).toBe(committed);
});

test("generate prints what a change breaks since the last commit", async () => {
  const checkout = await Checkout.copy();
  await checkout.commitGenerated();
  const [optionalField] = recipes;
  await optionalField?.apply(checkout);
  await optionalField?.mend?.(checkout);
  const { stdout } = await checkout.generate();
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(
    "breaks: minor: 2 compatible changes; see npm run breaks",
  );
});

test("the table in CONTRIBUTING lists each recipe and its broken audiences", async () => {
  const text = await readFile(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const [, table = ""] = text.split("| change | breaks | ");
  const rows = [...table.matchAll(/^\| (an? [^|]+) \| ([^|]+) \|/gm)];
  const expected = recipes.map(({ name, breaks }) => {
    const broken = AUDIENCES.filter((audience) => breaks[audience] === "breaking");
    return [name, broken.join(", ") || "none"];
  });
  expect(rows.map(([, name, broken]) => [name, broken])).toEqual(expected);
});
