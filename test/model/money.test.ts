import fc from "fast-check";
import { expect, test } from "vitest";
import { amountOf, centsOf, exponentOf } from "../../src/model/money.ts";

test.each([
  ["EUR", 2],
  ["JPY", 0],
  ["KWD", 3],
  ["XYZ", 2],
  ["points", 2],
  ["", 2],
])("%s has %d decimal places", (currency, places) => {
  expect(exponentOf(currency)).toBe(places);
  expect(exponentOf(currency)).toBe(places);
});

test.each([
  [4250, "EUR", 42.5],
  [4250, "JPY", 4250],
  [4250, "KWD", 4.25],
  [1, "KWD", 0.001],
  [-1999, "USD", -19.99],
])("%d minor units of %s convert to %d on the wire and back", (cents, currency, amount) => {
  expect(amountOf(cents, currency)).toBe(amount);
  expect(centsOf(amount, currency)).toBe(cents);
});

test.each([
  ["half a cent by its decimal digits", 1.005, "EUR", 101],
  ["half a cent below zero", -1.005, "EUR", -101],
  ["less than half a cent", 1.0049, "EUR", 100],
  ["half a yen", 0.5, "JPY", 1],
  ["half a fils", 4.2505, "KWD", 4251],
  ["a number with an exponent", 1e-7, "EUR", 0],
  ["a large number with an exponent", 1e21, "JPY", 1e21],
  ["a sum that a double cannot represent", 0.1 + 0.2, "EUR", 30],
])("%s is rounded away from zero", (_what, amount, currency, cents) => {
  expect(centsOf(amount, currency)).toBe(cents);
});

test("minor units survive a round trip over the wire", () => {
  const cents = fc.integer({ min: -1e14, max: 1e14 });
  fc.assert(
    fc.property(cents, fc.constantFrom("EUR", "JPY", "KWD", "CLF"), (value, currency) => {
      const amount = JSON.parse(JSON.stringify(amountOf(value, currency)));
      expect(centsOf(amount, currency) === value).toBe(true);
    }),
  );
});
