import { describe, expect, test } from "vitest";
import { attack, LONGEST } from "./attacks.ts";
import { builtPatterns, unlistedBuilders } from "./built-patterns.ts";
import { distinct, readDocumentPatterns, readSourceCode, type Source } from "./sources.ts";

// Without this, the analyser looks for a binary or a Java program.
process.env["RECHECK_BACKEND"] = "pure";
const { check } = await import("recheck");

const MAX_MS = 50;
const ANALYSIS_MS = 60_000;

const { literals, builders } = readSourceCode();
const built = await builtPatterns();
const sources = distinct([...readDocumentPatterns(), ...literals, ...built]);
const titled = sources.map((one) => [`${one.where} ${one.pattern}`, one] as const);

test("there are regular expressions from the document, the code and strings", () => {
  expect(readDocumentPatterns().length).toBeGreaterThan(8);
  expect(literals.length).toBeGreaterThan(100);
  expect(new Set(built.map(({ where }) => where)).size).toBeGreaterThan(3);
});

test("each file that builds a regular expression from a string is listed", () => {
  expect(unlistedBuilders(builders)).toEqual([]);
});

describe.each(titled)("%s", (_title, { pattern }: Source) => {
  test("is linear by static analysis", { timeout: ANALYSIS_MS }, async () => {
    const { status } = await check(pattern.source, pattern.flags, { timeout: ANALYSIS_MS });
    expect(status).toBe("safe");
  });

  test("reads a million hostile characters in time", { timeout: ANALYSIS_MS }, () => {
    const slowest = attack(pattern, MAX_MS);
    expect(slowest, JSON.stringify(slowest)).toMatchObject({ length: LONGEST });
    expect(slowest.ms).toBeLessThanOrEqual(MAX_MS);
  });
});

test.each([/^[^a-z]*[A-Z][^a-z]*$/u, /\s+$/, /"(?:[^"\\]|\\.)*"/g])(
  "both methods detect %s",
  { timeout: ANALYSIS_MS },
  async (pattern) => {
    expect((await check(pattern.source, pattern.flags)).status).toBe("vulnerable");
    expect(attack(pattern, MAX_MS).length).toBeLessThan(LONGEST);
  },
);
