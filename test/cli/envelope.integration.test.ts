import { expect, test } from "vitest";
import { responseExamples } from "../../generated/response-examples.ts";
import { readEnvelope } from "../../src/cli/envelope.ts";
import { isOk, type Validation, validateEnvelope } from "../../src/cli/validation.ts";
import { make } from "../../src/fixtures/index.ts";
import { captureLine } from "../support/payloads.ts";

const CREATED = "transaction.created";
const good = make(CREATED);

const validated = (line: string): Validation =>
  validateEnvelope(readEnvelope(line), { isStrict: false });

function raw(rawBody: unknown): string {
  return JSON.stringify({ headers: { "webhook-event-type": CREATED }, rawBody });
}

function response(operation: string, status: unknown, body: unknown): string {
  return JSON.stringify({ operation, status, body });
}

test.each<[what: string, line: string]>([
  ["a delivery", captureLine(CREATED, good)],
  [
    "a delivery with its time of receipt",
    captureLine(CREATED, good, { receivedAt: "2025-03-04T12:30Z" }),
  ],
  [
    "a header name in any case",
    JSON.stringify({ headers: { "WEBHOOK-Event-Type": CREATED }, body: good }),
  ],
  [
    "a header with an array of one value",
    JSON.stringify({ headers: { "webhook-event-type": [CREATED] }, body: good }),
  ],
  ["a raw body", raw(JSON.stringify(good, null, 2))],
  ["a response", response("GET /cards/{id}", 200, responseExamples["GET /cards/{id}"][0].body)],
  [
    "a response with headers",
    JSON.stringify({ operation: "GET /cards/{id}", status: 404, headers: {} }),
  ],
  ["a response with an unspecified status", response("GET /cards", 500, "oops")],
  ["a 200 with an unspecified body", response("PATCH /bank-links/{bankLinkId}", 200, [])],
])("%s is valid", (_what, line) => {
  expect(validated(line)).toMatchObject({ ok: true });
});

test.each<[what: string, line: string, expected: string, actual: string]>([
  ["without the header", '{"headers":{},"body":{}}', "an event name of the contract", "nothing"],
  [
    "of two events",
    '{"headers":{"webhook-event-type":["a","b"]}}',
    "an event name of the contract",
    "array of 2",
  ],
  [
    "of an unknown event",
    captureLine("x.made", {}),
    "an event name of the contract",
    'string "x.made"',
  ],
  [
    "with a raw body that is not JSON",
    raw("{no"),
    "a JSON body",
    "a body that is not JSON: Expected property name or '}' in JSON at position 1",
  ],
  [
    "with an empty raw body",
    raw(""),
    "a JSON body",
    "a body that is not JSON: Unexpected end of JSON input",
  ],
  [
    "with a raw body that is not a string",
    raw(7),
    "a JSON body",
    "a body that is not JSON: number 7",
  ],
])("a delivery %s breaks WHK-01", (_what, line, expected, actual) => {
  const { ok, findings } = validated(line);
  expect(ok).toBe(false);
  expect(findings).toMatchObject([
    { requirement: "WHK-01", level: "error", path: "", expected, actual },
  ]);
});

test("a response is validated", () => {
  expect(validated(response("GET /subaccounts", 200, []))).toMatchObject({
    ok: false,
    subject: "GET /subaccounts",
    findings: [{ requirement: "EP-01", level: "error" }],
  });
});

test("a delivery without a body is validated", () => {
  expect(validated(`{"headers":{"webhook-event-type":"${CREATED}"}}`)).toMatchObject({
    ok: false,
    findings: [{ level: "error", path: "" }],
  });
});

test.each<[line: string, problem: string]>([
  ["{oops", "not JSON: Expected property name or '}' in JSON at position 1"],
  ['{"client_secret": s3cret}', "not JSON: Unexpected token 's'"],
  [
    '{"a": "s3cret" "s3cret"}',
    "not JSON: Expected ',' or '}' after property value in JSON at position 15",
  ],
  [
    response("GET /cards/7", 200, {}),
    'unknown operation string "GET /cards/7"; expected a method and a path template, such as GET /cards/{id}',
  ],
  [
    response("toString", 200, {}),
    'unknown operation string "toString"; expected a method and a path template, such as GET /cards/{id}',
  ],
  [response("GET /cards", "200", {}), '"status" must be a number such as 200; got string "200"'],
  [response("GET /cards", undefined, {}), '"status" must be a number such as 200; got nothing'],
])("%s is unreadable", (line, problem) => {
  expect(validated(line)).toEqual({ subject: "", ok: false, findings: [], problem });
});

test.each([
  "[]",
  "null",
  "7",
  '"x"',
  "{}",
  '{"headers":1}',
  '{"body":{}}',
  '{"__proto__":{"headers":{}}}',
])("%s is neither a delivery nor a response", (line) =>
  expect(validated(line).problem).toMatch(/^neither a delivery .+ nor a response /),
);

test.each([
  ["error", false, false],
  ["warning", false, true],
  ["warning", true, false],
  ["notice", true, true],
] as const)("a finding of level %s, strict %s: ok is %s", (level, isStrict, ok) => {
  const finding = { requirement: "TXN-18", level, path: "", message: "" } as const;
  expect(isOk([finding], { isStrict })).toBe(ok);
});

test("a raw body that is not JSON is shown on one printable line", () => {
  const [finding] = validated(raw("\u202e\n\u2066")).findings;
  expect(finding?.requirement).toBe("WHK-01");
  expect(finding?.message).toMatch(/^[ -~]+$/);
});
