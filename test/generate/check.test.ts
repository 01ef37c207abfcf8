import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BROKEN, checkAnswer, checkEvent, HOLDS, UNUSUAL } from "../../generated/check.js";
import { type EventName, eventNames } from "../../generated/events.ts";
import { answers, events, type ShapeValidator } from "../../generated/validators.js";
import { renderCheck } from "../../scripts/generate/check.ts";
import type { Document } from "../../scripts/generate/document.ts";
import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import type { AnsweringOperation } from "../../src/contract/validate.ts";
import { type ContractExample, readDocument, readExamples } from "../document.ts";
import { mutated, randomFrom } from "./mutation.ts";

/** How many payloads are tried: `TXFEED_FUZZ=500000 npx vitest run test/generate/check.test.ts`. */
const PAYLOADS = Number(process.env["TXFEED_FUZZ"] ?? 20_000);
const HOURS = 8 * 3_600_000;

const examples = readExamples().filter(({ of }) => of in events || of in answers);
const document = readDocument();

/** The formats as expressions and the calendar say them, to hold ours against. */
const exists = (text: string) => new Date(text).toISOString().startsWith(text.slice(0, 19));
const FORMATS: Record<string, (text: string) => boolean> = {
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isMoment(`${text}T00:00:00.000Z`),
  "date-time": (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && isMoment(text),
  "date-time-local": (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/.test(text) && isMoment(`${text.slice(0, 19)}.000Z`),
  uri: (text) => /^[a-z][a-z0-9+.-]*:\/\/[^\s/]\S*$/i.test(text),
  password: () => true,
};
function isMoment(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && exists(text);
}

/** AJV on the document as it stands: nothing that is generated takes part. */
const ajv = new Ajv2020({
  discriminator: true,
  strict: false,
  strictNumbers: true,
  formats: FORMATS,
});
ajv.addSchema({
  $id: "contract",
  components: JSON.parse(JSON.stringify(document.components), (_key, value) => {
    if (value?.discriminator?.mapping) delete value.discriminator.mapping;
    return value;
  }),
});
const reference = (of: string) => {
  const event = document.webhooks[of]?.["post"]?.requestBody;
  const [verb = "", path = ""] = of.split(" ");
  const answer = document.paths[path]?.[verb.toLowerCase()]?.responses["200"];
  const $ref = (event ?? answer)?.content?.["application/json"]?.schema.$ref ?? "";
  const validate = ajv.getSchema(`contract${$ref}`);
  if (!validate) throw new Error(`no schema of ${of}`);
  return validate;
};

/** What each of the three says of a payload. */
function verdicts(of: string, body: unknown) {
  const isEvent = of in events;
  const check = isEvent
    ? checkEvent(of as EventName, body, DEFAULT_NETWORKS)
    : checkAnswer(of as AnsweringOperation, body, DEFAULT_NETWORKS);
  const validator = (
    isEvent ? events[of as EventName] : answers[of as AnsweringOperation][200]
  ) as ShapeValidator<unknown>;
  return { check: check !== BROKEN, validator: validator(body), ajv: reference(of)(body) };
}

describe("check.js, validators.js and AJV on the document agree", () => {
  test("on every example", () => {
    const said = examples.map(({ of, value }) => verdicts(of, value));
    expect(new Set(said.map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"check":true,"validator":true,"ajv":true}']),
    );
  });

  test(`on ${PAYLOADS} changed examples`, { timeout: HOURS }, () => {
    const seen = { held: 0, broken: 0 };
    const random = randomFrom(PAYLOADS);
    for (let i = 0; i < PAYLOADS; i++) {
      const { of, value } = examples[i % examples.length] as ContractExample;
      const body = mutated(value, random);
      const said = verdicts(of, body);
      if (said.check !== said.ajv || said.validator !== said.ajv) {
        expect({ of, body, ...said }).toBe("one verdict");
      }
      seen[said.ajv ? "held" : "broken"]++;
    }
    expect(seen.held).toBeGreaterThan(PAYLOADS / 20);
    expect(seen.broken).toBeGreaterThan(PAYLOADS / 4);
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
  ["a keyword", (schema) => Object.assign(schema, { maxLength: 3 })],
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
