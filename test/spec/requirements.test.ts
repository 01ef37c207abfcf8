import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requirementIds, requirements } from "../../generated/requirements.ts";
import { ROOT, readDocument } from "../document.ts";

/** The ids at the schemas and operations. The list at the root has all ids. */
const { "x-requirements": listed, ...rest } = readDocument() as unknown as Record<string, unknown>;
const named = new Set<string>();
JSON.stringify(rest, (key, value) => {
  if (key === "x-requirements") for (const id of value) named.add(id);
  return value;
});

const SHARED = `${ROOT}../shared/requirements.yaml`;

test("the catalogue has 143 requirements", () => {
  expect(requirementIds).toHaveLength(143);
});

test("the document lists every requirement, in the order of the catalogue", () => {
  expect(listed).toEqual(requirementIds);
});

test.each(requirementIds.filter((id) => requirements[id].how.includes("schema")))(
  "%s, decided by a schema, is in the contract",
  (id) => expect(named).toContain(id),
);

test("every requirement in the contract is in the catalogue", () => {
  expect([...named].filter((id) => !(id in requirements))).toEqual([]);
});

test.skipIf(!existsSync(SHARED))(
  "the catalogue equals that of the interface (skipped without ../shared)",
  () => {
    const catalogue = readFileSync(`${ROOT}spec/requirements.yaml`, "utf8");
    expect(catalogue).toBe(readFileSync(SHARED, "utf8"));
  },
);
