import { describe, expect, test } from "vitest";
import { payloadTexts } from "../payloads.ts";
import { checkEquivalence, variantsOf } from "../validation/equivalence.ts";
import { libraries } from "../validation/libraries/index.ts";
import { type Library, MEASURED_EVENTS } from "../validation/libraries/library.ts";
import { txfeed } from "../validation/libraries/txfeed.ts";

describe.each(Object.keys(libraries))("%s", (name) => {
  test("tells every sound payload from every broken one", async () => {
    const contestant = await libraries[name]?.();
    expect((await checkEquivalence(contestant as Library)).misses).toEqual([]);
  });
});

test.each(MEASURED_EVENTS)("there are sound and broken variants of %s", (event) => {
  const variants = variantsOf(event);
  expect(variants.filter(({ isValid: isSound }) => isSound).length).toBeGreaterThan(15);
  expect(variants.filter(({ isValid: isSound }) => !isSound).length).toBeGreaterThan(60);
});

test("a contestant that checks less is told by what it takes", async () => {
  const lax: Library = {
    name: "lax",
    setUp: async (schemas) => {
      const checks = await txfeed.setUp(schemas);
      const anyDay = (body: unknown) =>
        JSON.parse(JSON.stringify(body).replaceAll(/2025-02-30|2100-02-29/g, "2025-02-28"));
      const check = checks["banktransaction.created"];
      return { ...checks, "banktransaction.created": (body) => check(anyDay(body)) };
    },
  };
  const { misses } = await checkEquivalence(lax);
  expect(misses).toEqual(["takes a day that does not exist", "takes 29 February of no leap year"]);
});

test("a contestant that refuses what is sound is told by what it refuses", async () => {
  const strict: Library = { name: "strict", setUp: async () => checkNothing(1) };
  const { misses } = await checkEquivalence(strict);
  expect(misses).toContain("refuses 29 February of a leap year (3 x)");
});

test("a contestant that checks nothing takes every fault", async () => {
  const { misses } = await checkEquivalence({ name: "blind", setUp: async () => checkNothing(0) });
  expect(misses).toContain("takes a number at its limit");
  expect(misses.some((line) => line.startsWith("refuses"))).toBe(false);
});

function checkNothing(faults: number) {
  const entries = MEASURED_EVENTS.map((event) => [event, () => faults]);
  return Object.fromEntries(entries);
}

test.each(MEASURED_EVENTS)("bodies of %s differ in their ids and are of one size", (event) => {
  const texts = payloadTexts(event, "sound", 50);
  expect(new Set(texts).size).toBe(50);
  expect(new Set(texts.map((text) => text.length)).size).toBe(1);
});
