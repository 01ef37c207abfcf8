import fc from "fast-check";
import { expect, test } from "vitest";
import { eventNames } from "../../generated/events.ts";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import { readExamples } from "../document.ts";

/** One example of each event and each response. */
const examples = [...Map.groupBy(readExamples(), ({ of }) => of).values()].flatMap(
  ([one]) => one ?? [],
);

function nested(depth: number, open: string, close: string): unknown {
  let value: unknown = null;
  for (let i = 0; i < depth; i++) value = close === "]" ? [value] : { [open]: value };
  return value;
}

const HOSTILE: [string, unknown][] = [
  ["arrays 100,000 deep", nested(100_000, "", "]")],
  ["objects 100,000 deep", nested(100_000, "_embedded", "}")],
  ["an array of a million items", Array(1_000_000).fill(0)],
  [
    "an object of 100,000 members",
    Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => [i, i])),
  ],
  ["members named like inherited properties", JSON.parse('{"__proto__":1,"constructor":{},"a":2}')],
  ["a very long string", "x".repeat(5_000_000)],
  ["a lone surrogate", "\ud800"],
  ["NaN", Number.NaN],
  ["Infinity", JSON.parse("1e400")],
  ["minus zero", -0],
  ["an array with holes", new Array(1000)],
];

const NAMES = [
  ...eventNames,
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "",
  "\ud800",
];

test.each(HOSTILE)("%s is rejected under every event name, with short messages", (_what, value) => {
  for (const name of NAMES) {
    expect(validateEvent(name, value).findings.length).toBeGreaterThan(0);
  }
  for (const { of, kind, value: example } of examples) {
    for (const member of Object.keys(example)) {
      const body = { ...example, [member]: value };
      const { findings } =
        kind === "event"
          ? validateEvent(of, body)
          : validateResponse(of as "GET /cards", 200, body);
      for (const { message } of findings) expect(message.length).toBeLessThan(400);
    }
  }
});

test("a finding is one short line for any text in the payload", () => {
  const hostile = "A\u001b[2J\n\u2028\u202e\u200b".repeat(10_000);
  for (const { of, value: example } of readExamples().filter(({ kind }) => kind === "event")) {
    for (const body of withEachText(example, hostile)) {
      for (const { message } of validateEvent(of, body).findings) {
        expect(message.length).toBeLessThan(500);
        expect(message).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
      }
    }
  }
});

/** Yields copies of a value, each with a different string replaced by `text`. */
function* withEachText(value: unknown, text: string): Generator<unknown> {
  if (typeof value === "string") yield text;
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    for (const changed of withEachText(child, text)) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
  }
}

test("validating any value under any name returns well-formed findings", () => {
  const names = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: "binary" }));
  const bodies = fc.anything({ withNullPrototype: true, withSparseArray: true, maxDepth: 4 });
  fc.assert(
    fc.property(names, bodies, (name, body) => {
      const { ok, findings } = validateEvent(name, body);
      expect(ok).toBe(!findings.some(({ level }) => level === "error"));
      for (const { path, message, requirement } of findings) {
        expect([typeof path, typeof message]).toEqual(["string", "string"]);
        expect(requirement).toMatch(/^[A-Z]{2,4}-\d\d$/);
      }
    }),
    { numRuns: 2000 },
  );
});

test.each(["client_secret", "access_token", "password", "authorization", "x_api_key"])(
  "the value of %s is never shown",
  (member) => {
    const event = { href: 1, [member]: "hunter2" };
    for (const name of eventNames) {
      const text = JSON.stringify(validateEvent(name, { id: event, metadata: event }).findings);
      expect(text).not.toContain("hunter2");
    }
  },
);
