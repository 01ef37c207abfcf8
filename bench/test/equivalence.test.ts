import { describe, expect, test } from "vitest";
import { payloadTexts } from "../payloads.ts";
import { checkEquivalence, variantsOf } from "../validation/equivalence.ts";
import { libraries } from "../validation/libraries/index.ts";
import { type Library, MEASURED_EVENTS } from "../validation/libraries/library.ts";
import { txfeed } from "../validation/libraries/txfeed.ts";

describe.each(Object.keys(libraries))("%s", (name) => {
  test("accepts every valid payload and rejects every invalid one", async () => {
    const library = await libraries[name]?.();
    expect((await checkEquivalence(library as Library)).misses).toEqual([]);
  });
});

test.each(MEASURED_EVENTS)("%s has valid and invalid variants", (event) => {
  const variants = variantsOf(event);
  expect(variants.filter(({ isValid: isSound }) => isSound).length).toBeGreaterThan(15);
  expect(variants.filter(({ isValid: isSound }) => !isSound).length).toBeGreaterThan(60);
});

test("invalid payloads that a lax library accepts are reported", async () => {
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
  expect(misses).toEqual([
    "accepts a day that does not exist",
    "accepts 29 February of a year that is not a leap year",
  ]);
});

test("valid payloads that a strict library rejects are reported", async () => {
  const strict: Library = { name: "strict", setUp: async () => alwaysReport(1) };
  const { misses } = await checkEquivalence(strict);
  expect(misses).toContain("rejects 29 February of a leap year (3 x)");
});

test("a library that checks nothing accepts every error", async () => {
  const { misses } = await checkEquivalence({ name: "blind", setUp: async () => alwaysReport(0) });
  expect(misses).toContain("accepts a number at its limit");
  expect(misses.some((line) => line.startsWith("rejects"))).toBe(false);
});

function alwaysReport(errors: number) {
  const entries = MEASURED_EVENTS.map((event) => [event, () => errors]);
  return Object.fromEntries(entries);
}

test.each(MEASURED_EVENTS)("payloads of %s have different ids and equal sizes", (event) => {
  const texts = payloadTexts(event, "valid", 50);
  expect(new Set(texts).size).toBe(50);
  expect(new Set(texts.map((text) => text.length)).size).toBe(1);
});
