import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventNames } from "../../generated/events.ts";
import { responses } from "../../generated/validators.js";
import { compare, examples, verdicts } from "./agreement.ts";

/** The number of payloads. Set it with `TXFEED_FUZZ=500000 npm test -- test/generate/agreement`. */
const PAYLOADS = Number(process.env["TXFEED_FUZZ"] ?? 20_000);
const HOURS = 8 * 3_600_000;

describe("validators.js and AJV on the document agree", () => {
  test("on every example", () => {
    const found = examples.map(({ of, value }) => verdicts(of, value));
    expect(found).toEqual(found.map(() => ({ validator: true, ajv: true })));
  });

  test(`on ${PAYLOADS} changed examples`, { timeout: HOURS }, () => {
    const { valid, invalid, disagreements } = compare(PAYLOADS);
    expect(disagreements).toEqual([]);
    expect(valid).toBeGreaterThan(PAYLOADS / 20);
    expect(invalid).toBeGreaterThan(PAYLOADS / 4);
  });

  test("on any JSON value for any event or operation", () => {
    const names = fc.constantFrom(...eventNames, ...Object.keys(responses));
    fc.assert(
      fc.property(names, fc.jsonValue({ maxDepth: 4 }), (of, body) => {
        const { validator, ajv: expected } = verdicts(of, body);
        expect(validator).toBe(expected);
      }),
      { numRuns: Math.max(500, PAYLOADS / 20) },
    );
  });
});
