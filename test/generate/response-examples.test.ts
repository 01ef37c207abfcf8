import { expect, expectTypeOf, test } from "vitest";
import { type OperationKey, operations, type ResponseBodies } from "../../generated/operations.ts";
import { responseExamples } from "../../generated/response-examples.ts";
import { type OperationWithResponse, validateResponse } from "../../src/contract/index.ts";
import { readDocument, readExamples } from "../document.ts";

const shown = readExamples().filter(({ kind }) => kind === "response");
const keys = Object.keys(operations) as OperationKey[];
const OPEN = "PATCH /bank-links/{bankLinkId}";
const specified = keys.filter((key): key is OperationWithResponse => key !== OPEN);

test("every operation is in it, in the order of the contract", () => {
  expect(Object.keys(responseExamples)).toEqual(keys);
  expect(keys).toHaveLength(18);
});

test.each(keys)("%s has the names and bodies of the document, in order", (key) => {
  const expected = shown
    .filter(({ of }) => of === key)
    .map((example) => ({ name: example.case, status: 200, body: example.value }));
  expect(expected.length).toBeGreaterThan(0);
  expect(responseExamples[key]).toEqual(expected);
});

test("the operation with an open success status has examples with 200", () => {
  const statuses = Object.values(readDocument().paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.keys(responses).filter((status) => status.startsWith("2")));
  expect(statuses.filter((status) => status !== "200")).toEqual(["202", "204"]);
  expect(responseExamples[OPEN].map(({ status }) => status)).toEqual([200]);
});

test.each(
  specified.flatMap((key) => responseExamples[key].map(({ name, body }) => ({ key, name, body }))),
)("$key $name is valid without findings", ({ key, body }) => {
  expect(validateResponse(key, 200, body)).toEqual({ ok: true, body, findings: [] });
});

test("a body has the type of its response, or unknown if that is open", () => {
  const card = responseExamples["GET /cards/{id}"][0].body;
  expectTypeOf(card).toEqualTypeOf<ResponseBodies["GET /cards/{id}"][200]>();
  expectTypeOf(responseExamples[OPEN][0].body).toBeUnknown();
});
