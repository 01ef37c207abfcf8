import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryStory } from "../../../src/fixtures/arbitraries.ts";
import { story, storyNames } from "../../../src/fixtures/index.ts";
import { brokenBy, captured } from "./captured.ts";

const DRIVEN = ["authorize"] as const;

describe("a history that nothing is wrong with", () => {
  test.each(storyNames)("%s breaks nothing as it was sent, be the run driven or not", (name) => {
    expect(brokenBy(captured(story(name)))).toEqual([]);
    expect(brokenBy(captured(story(name)), { verbs: DRIVEN })).toEqual([]);
  });

  test("breaks nothing in any order, with any repeats", () => {
    fc.assert(
      fc.property(
        arbitraryStory().chain((deliveries) =>
          fc.record({
            once: fc.shuffledSubarray(deliveries, { minLength: deliveries.length }),
            again: fc.subarray(deliveries),
            atOnce: fc.boolean(),
            seed: fc.nat(),
          }),
        ),
        ({ once, again, atOnce, seed }) => {
          const all = [...once];
          for (const one of again) all.splice(seed % (all.length + 1), 0, one);
          expect(brokenBy(captured(all, { atOnce }))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
