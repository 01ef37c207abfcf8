import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { derivedClaims } from "../../generated/derived.ts";
import { eventNames } from "../../generated/events.ts";
import type { ClaimId } from "../../generated/requirements.ts";
import {
  DEVIATING,
  events,
  INVALID,
  responses,
  type ShapeValidator,
  shapeOf,
  VALID,
} from "../../generated/validators.js";
import type { Document } from "../../scripts/generate/document.ts";
import { withSharedSchemas } from "../../scripts/generate/shared-schemas.ts";
import { renderValidators } from "../../scripts/generate/validators.ts";
import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import { ROOT, readDocument, readExamples } from "../document.ts";

const FILE = `${ROOT}generated/validators.js`;
/** A bound next to a $ref is valid; a second type is not. */
const ID_OF_TYPE = { $ref: "#/components/schemas/Id", type: "number" };
const schemaIndex = readFileSync(`${ROOT}generated/schema-index.ts`, "utf8");

test("each event and each JSON response has a validator", () => {
  expect(Object.keys(events)).toEqual([...eventNames]);
  const specified = Object.entries(readDocument().paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([verb, { responses }]) =>
      responses["200"]?.content?.["application/json"]?.schema.$ref
        ? [`${verb.toUpperCase()} ${path}`]
        : [],
    ),
  );
  expect(Object.keys(responses)).toEqual(specified);
  expect(specified).toHaveLength(17);
});

test("created and updated share one compiled validator", () => {
  expect(events["transaction.updated"]).toBe(events["transaction.created"]);
});

test("the module runs where code generation is forbidden", () => {
  const program = `
    const { events } = await import(${JSON.stringify(FILE)});
    const fine = { id: "d26e5362-70a6-4325-9817-1d5c4e2f7817",
      bankAccountId: "8413f2ba-86b8-42a0-a8e3-537df9b8333e", deletedAt: "2025-03-08T06:00:00.415Z",
      reason: "duplicate_retired",
      metadata: { resourceId: "d26e5362-70a6-4325-9817-1d5c4e2f7817" } };
    const validate = events["banktransaction.deleted"];
    console.log(validate(fine), validate({ ...fine, deletedAt: "2025-02-30T06:00:00.415Z" }));`;
  const flags = ["--disallow-code-generation-from-strings", "--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "true false\n", stderr: "" });
});

test("the module has no import, no require and no eval", () => {
  const source = readFileSync(FILE, "utf8");
  expect(source).not.toMatch(/\bimport\b|\brequire\s*\(|\beval\s*\(|new Function/);
});

const transaction = readExamples().find(({ of }) => of === "transaction.created")?.value ?? {};

test("a value outside an open set or the configured networks is unusual", () => {
  const shape = (changes: object, networks = DEFAULT_NETWORKS) =>
    shapeOf(events["transaction.created"], { ...transaction, ...changes }, networks);
  expect(shape({})).toBe(VALID);
  expect(shape({ status: "REVERSED" })).toBe(DEVIATING);
  expect(shape({ transactionType: "CREDIT_01" })).toBe(DEVIATING);
  expect(shape({ network: "VISA" })).toBe(DEVIATING);
  const networks = { a: "VISA", b: "AMEX", c: "MC" };
  expect(shape({ network: "VISA", _embedded: {} }, networks)).toBe(VALID);
  expect(shape({ network: "OPEN_BANKING", _embedded: {} }, networks)).toBe(VALID);
  expect(shape({ network: "NETWORK_A", _embedded: {} }, networks)).toBe(DEVIATING);
  // A lower-case code is invalid for any configuration.
  expect(shape({ network: "visa" }, { ...networks, a: "visa" })).toBe(INVALID);
});

test("an error has the claims of its schema, most specific first", () => {
  const validate = events["transaction.created"] as ShapeValidator<unknown>;
  const errorOf = (changes: object) => {
    validate({ ...transaction, ...changes });
    return validate.errors?.map(({ instancePath, own, closest, above }) => {
      return { instancePath, own, closest, above };
    });
  };
  expect(errorOf({ status: 1 })).toEqual([
    { instancePath: "/status", own: undefined, closest: "TXN-04.status", above: "TXN-01.fields" },
  ]);
  expect(errorOf({ _links: { self: { href: 1 } } })).toContainEqual({
    instancePath: "/_links/self/href",
    own: "CONV-05.relative CONV-05.object",
    closest: "CONV-05.relative",
    above: "CONV-05.object",
  });
});

test.each<[string, string, object]>([
  ["a union that is not an object or null", "anyOf", { anyOf: [{ type: "string" }] }],
  ["a union without a tag", "discriminator", { oneOf: [{ type: "string" }] }],
  ["an array with properties", "only one of", { items: {}, properties: {} }],
  ["an unknown format", "unknown format", { type: "string", format: "iban" }],
  ["an unknown keyword", "unknown keyword", { "x-unknown": 1 }],
  ["an unknown open type", "x-extensible-type", { "x-extensible-type": "decimal" }],
  ["a constraint that the $ref's target also has", "a type", ID_OF_TYPE],
  [
    "a required member that is not a property",
    "not a property",
    { properties: {}, required: ["a"] },
  ],
])("the generator refuses %s", (_what, message, schema) => {
  const changed = structuredClone(readDocument()) as unknown as Document;
  Object.assign(changed.components.schemas["Link"]?.properties ?? {}, { href: schema });
  expect(() => renderValidators(changed)).toThrow(message);
});

test("a closed resource does not share its schema with its event", () => {
  const changed = structuredClone(readDocument()) as unknown as Document;
  const { schemas } = changed.components;
  expect(withSharedSchemas(changed).components.schemas["TransactionEvent"]?.$ref).toBeDefined();
  for (const name of ["Transaction", "TransactionEvent"]) {
    Object.assign(schemas[name] ?? {}, { additionalProperties: false });
  }
  expect(withSharedSchemas(changed).components.schemas["TransactionEvent"]?.$ref).toBeUndefined();
});

test("no schema has a derived claim first", () => {
  const firsts = [...schemaIndex.matchAll(/"claims":\["([^"]+)"/g)];
  expect(firsts.length).toBeGreaterThan(50);
  const derived = firsts.filter(([, id]) => derivedClaims.has(id as ClaimId));
  expect(derived).toEqual([]);
});
