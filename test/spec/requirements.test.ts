import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { requirementIds, requirements } from "../../generated/requirements.ts";
import { ROOT, readDocument } from "../document.ts";

/** The ids at the places of the contract; the list at its root has all of them. */
const { "x-requirements": listed, ...places } = readDocument() as unknown as Record<
  string,
  unknown
>;
const named = new Set<string>();
JSON.stringify(places, (key, value) => {
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
  "%s, which a schema decides, is named in the contract",
  (id) => expect(named).toContain(id),
);

test("the contract names no requirement that the catalogue does not have", () => {
  expect([...named].filter((id) => !(id in requirements))).toEqual([]);
});

test.skipIf(!existsSync(SHARED))(
  "the catalogue is that of the interface (skipped where the interface is not beside the checkout)",
  () => {
    const catalogue = readFileSync(`${ROOT}spec/requirements.yaml`, "utf8");
    expect(catalogue).toBe(readFileSync(SHARED, "utf8"));
  },
);
