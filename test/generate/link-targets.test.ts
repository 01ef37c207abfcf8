import { expect, test } from "vitest";
import type { Document, Schema } from "../../scripts/generate/document.ts";
import { withoutLinkTargets } from "../../scripts/generate/link-targets.ts";
import { readDocument } from "../document.ts";

const document = readDocument() as unknown as Document;
const { schemas } = withoutLinkTargets(document).components;

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const linking = (extra: Schema = {}): Schema => ({
  type: "object",
  properties: { self: { $ref: "#/components/schemas/Link", ...extra } },
});

/** The schemas of a document with only the given schemas. */
function merged(given: Record<string, Schema>): Record<string, Schema> {
  return withoutLinkTargets({ ...document, components: { schemas: given } }).components.schemas;
}

test("link targets are removed and the rest is unchanged", () => {
  expect(JSON.stringify(document)).toContain("x-leads-to");
  expect(JSON.stringify(schemas)).not.toContain("x-leads-to");
  const own = Object.keys(document.components.schemas).filter((name) => !(name in schemas));
  expect(own).toEqual([
    ...["SubaccountLinks", "CardLinks", "NetworkBulkFeedLinks", "BankAccountLinks"],
  ]);
  for (const name of ["Subaccount", "Card", "NetworkBulkFeedEvent", "BankAccount"]) {
    expect(schemas[name]?.properties?.["_links"]).toMatchObject(ref("SelfLinks"));
  }
});

test("schemas that differ only in link targets are merged", () => {
  const given = {
    A: linking({ "x-leads-to": "/a/{id}", description: "An A." }),
    Other: { type: "string" },
    User: { type: "object", properties: { a: ref("A"), b: ref("B") } },
    B: linking({ "x-leads-to": "/b/{id}" }),
  };
  const { A, User } = merged(given);
  expect(A?.properties?.["self"]).toEqual({ ...ref("Link"), description: "An A." });
  expect(User?.properties).toEqual({ a: ref("A"), b: ref("A") });
  expect(Object.keys(merged(given))).toEqual(["A", "Other", "User"]);
  expect(Object.keys(merged({ ...given, Plain: linking() }))).toEqual(["Plain", "Other", "User"]);
});

test("equal schemas without link targets are not merged", () => {
  const given = { A: linking(), B: linking() };
  expect(merged(given)).toEqual(given);
});
