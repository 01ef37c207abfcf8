import { expect, test } from "vitest";
import { verbs } from "../../../conformance/driver.ts";
import { randomScripts } from "../../../conformance/explore/scripts.ts";
import type { Script } from "../../../conformance/verbs/step.ts";
import { applied, meaningOf, modelAfter } from "../../../conformance/verbs/table.ts";

async function draw(count: number, seed: number, of = verbs): Promise<Script[]> {
  const scripts: Script[] = [];
  for await (const script of randomScripts(of, seed)) {
    scripts.push(script);
    if (scripts.length === count) break;
  }
  return scripts;
}

test("the same seed gives the same scripts, another seed others", async () => {
  expect(await draw(60, 3)).toEqual(await draw(60, 3));
  expect(await draw(60, 3)).not.toEqual(await draw(60, 4));
});

test("each step means something in the state after those before it", async () => {
  for (const { opening, steps } of await draw(100, 5)) {
    let model = modelAfter(opening);
    for (const step of steps) {
      const meaning = meaningOf(model, step);
      expect(meaning, JSON.stringify(step)).toBeDefined();
      if (meaning === "applies") model = applied(model, step);
    }
  }
});

test("every verb of the alphabet occurs, and repeated steps too", async () => {
  const scripts = await draw(300, 1);
  const seen = new Set(scripts.flatMap(({ steps }) => steps.map(({ verb }) => verb)));
  expect(seen.size).toBe(21);
  const lengths = scripts.map(({ steps }) => steps.length);
  expect(Math.max(...lengths)).toBe(12);
});

test("without the verbs of the opening, scripts begin with nothing", async () => {
  const scripts = await draw(20, 1, ["enroll", "clearSca", "deactivate"]);
  expect(scripts.every(({ opening }) => opening.length === 0)).toBe(true);
  expect(scripts.flatMap(({ steps }) => steps).length).toBeGreaterThan(20);
});
