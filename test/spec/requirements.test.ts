import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { requirementIds, requirements } from "../../generated/requirements.ts";
import { ROOT, readDocument } from "../document.ts";

/** The ids at the schemas and operations. The list at the root has all ids. */
const { "x-requirements": listed, ...rest } = readDocument() as unknown as Record<string, unknown>;
const named = new Set<string>();
JSON.stringify(rest, (key, value) => {
  if (key === "x-requirements") for (const id of value) named.add(id);
  return value;
});

/** An entry of the catalogue. Its text may be worded differently from the shared one. */
type Entry = Readonly<Record<"id" | "text", string>> & {
  readonly how: readonly string[];
  readonly derived?: boolean;
};

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
  "ids, order and kinds equal those of the interface (skipped without ../shared)",
  () => {
    const kindsIn = (file: string) =>
      parse(readFileSync(file, "utf8")).requirements.map(({ id, how, derived = false }: Entry) => ({
        id,
        how,
        derived,
      }));
    expect(kindsIn(`${ROOT}spec/requirements.yaml`)).toEqual(kindsIn(SHARED));
  },
);
