import { expect, test } from "vitest";
import { Checkout } from "./checkout.ts";
import { type Recipe, recipes } from "./recipes.ts";

/** The recipes of CONTRIBUTING, each applied to a copy of the checkout. */

/** What the validators are made of: every change of a shape changes some of them. */
const VALIDATORS = ["places.ts", "check.js", "validators.js"];

/** The files that `generate` says it changed. */
function changedFiles(stdout: string): string[] {
  const [, names = ""] = /^generated\/ has .* changed: (.+), \d+\.\d s$/m.exec(stdout) ?? [];
  return names.split(", ").filter((name) => !VALIDATORS.includes(name));
}

test.each<[string, Recipe]>(recipes.map((recipe) => [recipe.name, recipe]))(
  "the recipe for %s says what generate, check:coverage and tsc say",
  async (_name, { apply, refused, mend, generated, byHand, gaps = [] }) => {
    await using checkout = await Checkout.copy();
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
  },
);
