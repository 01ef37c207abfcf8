import { describe, expect, expectTypeOf, test } from "vitest";
import type { components } from "../../generated/types.ts";
import { isKnown, knownValues, type OpenSet } from "../../src/contract/index.ts";
import { TxfeedError } from "../../src/errors.ts";
import { readDocument } from "../document.ts";

type Transaction = components["schemas"]["Transaction"];

/** The schemas of the document that have an open set. */
function openSets(value: unknown, path: readonly string[] = []): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (key !== "x-extensible-enum") return openSets(member, [...path, key]);
    return [[path.join("."), member]];
  });
}

test("the known values are those of every open set of the document", () => {
  const shown = openSets(readDocument().components.schemas).map(([path, values]) => [
    path.replace(".properties.", "."),
    values,
  ]);
  expect(shown.length).toBeGreaterThan(10);
  expect(Object.entries(knownValues)).toEqual(shown);
});

describe("isKnown", () => {
  test.each(Object.entries(knownValues))("accepts each value of %s and no other", (set, values) => {
    for (const value of values) expect(isKnown(set as OpenSet, value)).toBe(true);
    for (const value of ["SETLED", "", "toString", null, undefined]) {
      expect(isKnown(set as OpenSet, value)).toBe(false);
    }
  });

  test("tests for the given values", () => {
    expect(isKnown("TransactionStatus", "SETTLED", "SETTLED")).toBe(true);
    expect(isKnown("TransactionStatus", "PENDING", "SETTLED")).toBe(false);
    expect(isKnown("TransactionStatus", "NEW", "PENDING", "SETTLED")).toBe(false);
  });

  test("narrows to the known values, so that a misspelt one does not compile", () => {
    const status = "SETTLED" as Transaction["status"];
    if (isKnown("TransactionStatus", status)) {
      expectTypeOf(status).toEqualTypeOf<"PENDING" | "SETTLED">();
      // @ts-expect-error: misspelt
      expect(status === "SETLED").toBe(false);
    }
    if (isKnown("TransactionStatus", status, "SETTLED")) {
      expectTypeOf(status).toEqualTypeOf<"SETTLED">();
    }
    // @ts-expect-error: misspelt
    expect(isKnown("TransactionStatus", status, "SETLED")).toBe(false);
    // @ts-expect-error: there is no such set
    expect(() => isKnown("TransactionState", status)).toThrow(TxfeedError);
  });

  test("rejects a list that may be empty, which would mean all values", () => {
    const none: "SETTLED"[] = [];
    // @ts-expect-error: an array has any length
    expect(isKnown("TransactionStatus", "PENDING", ...none)).toBe(true);
    const some = ["PENDING", "SETTLED"] as const;
    expect(isKnown("TransactionStatus", "PENDING", ...some)).toBe(true);
  });

  test("rejects the network codes of a deployment", () => {
    expect(isKnown("NetworkCode", "VISA")).toBe(false);
    expect(isKnown("NetworkCode", "OPEN_BANKING", "OPEN_BANKING")).toBe(true);
  });

  test.each([
    ["TransactionStates", 'did you mean "TransactionStatus"?'],
    ["Nope", "knownValues lists all"],
    ["toString", "knownValues lists all"],
    [undefined, "knownValues lists all"],
  ])("rejects the unknown set %s", (set, advice) => {
    const refusal = expect(() => isKnown(set as OpenSet, "x", "x" as never));
    refusal.toThrow(
      expect.objectContaining({
        code: "usage",
        message: `isKnown: there is no open set "${set}"; ${advice}`,
      }),
    );
  });
});
