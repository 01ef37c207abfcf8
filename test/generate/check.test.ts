import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BROKEN, checkEvent, HOLDS, UNUSUAL } from "../../generated/check.js";
import { eventNames } from "../../generated/events.ts";
import { answers } from "../../generated/validators.js";
import { renderCheck } from "../../scripts/generate/check.ts";
import type { Document } from "../../scripts/generate/document.ts";
import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import { readDocument } from "../document.ts";
import { compare, examples, verdicts } from "./agreement.ts";

/** How many payloads are tried: `TXFEED_FUZZ=500000 npx vitest run test/generate/check.test.ts`. */
const PAYLOADS = Number(process.env["TXFEED_FUZZ"] ?? 20_000);
const HOURS = 8 * 3_600_000;

const document = readDocument();

describe("check.js, validators.js and AJV on the document agree", () => {
  test("on every example", () => {
    const said = examples.map(({ of, value }) => verdicts(of, value));
    expect(new Set(said.map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"check":true,"validator":true,"ajv":true}']),
    );
  });

  test(`on ${PAYLOADS} changed examples`, { timeout: HOURS }, () => {
    const { valid, invalid, disagreements } = compare(PAYLOADS);
    expect(disagreements).toEqual([]);
    expect(valid).toBeGreaterThan(PAYLOADS / 20);
    expect(invalid).toBeGreaterThan(PAYLOADS / 4);
  });

  test("on any value of JSON under any name", () => {
    const names = fc.constantFrom(...eventNames, ...Object.keys(answers));
    fc.assert(
      fc.property(names, fc.jsonValue({ maxDepth: 4 }), (of, body) => {
        const { check, validator, ajv: expected } = verdicts(of, body);
        expect([check, validator]).toEqual([expected, expected]);
      }),
      { numRuns: Math.max(500, PAYLOADS / 20) },
    );
  });
});

test("a payload with a value outside an open set is unusual, by the networks configured", () => {
  const body = examples.find(({ of }) => of === "transaction.created")?.value ?? {};
  const shape = (changes: object, networks = DEFAULT_NETWORKS) =>
    checkEvent("transaction.created", { ...body, ...changes }, networks);
  expect(shape({})).toBe(HOLDS);
  expect(shape({ status: "REVERSED" })).toBe(UNUSUAL);
  expect(shape({ transactionType: "CREDIT_01" })).toBe(UNUSUAL);
  expect(shape({ network: "VISA" })).toBe(UNUSUAL);
  const networks = { a: "VISA", b: "AMEX", c: "MC" };
  expect(shape({ network: "VISA", _embedded: {} }, networks)).toBe(HOLDS);
  expect(shape({ network: "OPEN_BANKING", _embedded: {} }, networks)).toBe(HOLDS);
  expect(shape({ network: "NETWORK_A", _embedded: {} }, networks)).toBe(UNUSUAL);
  // A lower-case code is none, whatever is configured.
  expect(shape({ network: "visa" }, { ...networks, a: "visa" })).toBe(BROKEN);
});

test.each<[string, (schema: Record<string, unknown>) => void]>([
  ["a keyword", (schema) => Object.assign(schema, { minLength: 3 })],
  ["a length without a format", (schema) => Object.assign(schema, { maxLength: 3 })],
  ["a type", (schema) => Object.assign(schema, { type: "decimal" })],
  ["several types", (schema) => Object.assign(schema, { type: ["string", "number"] })],
  ["a format", (schema) => Object.assign(schema, { format: "iban" })],
  [
    "members that are not allowed",
    (schema) => Object.assign(schema, { additionalProperties: false }),
  ],
  ["an allowed object", (schema) => Object.assign(schema, { enum: [{}] })],
])("the generator refuses %s that it has no check for", async (_what, change) => {
  const changed = structuredClone(document) as unknown as Document;
  change(changed.components.schemas["Link"]?.properties?.["href"] as Record<string, unknown>);
  expect(() => renderCheck(changed)).toThrow(/Link_href: no check is known of/);
});
