import { expect, test } from "vitest";
import { scripts } from "../../../conformance/scripts/index.ts";
import { emptyModel } from "../../../conformance/verbs/model.ts";
import { namesIn, sourceOf } from "../../../conformance/verbs/step.ts";
import { applied, meaningOf } from "../../../conformance/verbs/table.ts";

test.each(scripts.map((script) => [script.title, script] as const))(
  "%s: each step means something, of resources that the script created",
  (title, { opening = [], steps }) => {
    expect(title.length).toBeLessThan(70);
    let model = emptyModel();
    const known = new Set<string>();
    for (const step of [...opening, ...steps]) {
      const { uses, gives } = namesIn(step);
      for (const name of uses) expect(known).toContain(sourceOf(name));
      for (const name of gives) known.add(name);
      const meaning = meaningOf(model, step);
      expect(meaning, JSON.stringify(step)).toBeDefined();
      if (meaning === "applies") model = applied(model, step);
    }
  },
);

test("scripts have titles of their own, by which a run shares what they did", () => {
  expect(new Set(scripts.map(({ title }) => title)).size).toBe(scripts.length);
});
