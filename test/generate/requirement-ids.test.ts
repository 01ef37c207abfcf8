import { expect, test } from "vitest";
import { claimedDocument, publishedDocument } from "../../scripts/generate/claims.ts";
import { readCatalogue } from "../../scripts/generate/requirements.ts";
import { ROOT } from "../document.ts";

const catalogue = await readCatalogue(ROOT);

const documentWith = (...ids: string[]) =>
  JSON.stringify({
    components: { schemas: { Card: { properties: { a: { "x-requirements": ids } } } } },
  });

const named = (...ids: string[]) =>
  claimedDocument(documentWith(...ids), catalogue).components.schemas["Card"]?.properties?.["a"]?.[
    "x-requirements"
  ];

test("the published document names requirements only, each once", () => {
  expect(JSON.parse(publishedDocument(documentWith("TXN-06.subset", "TXN-07", "TXN-06")))).toEqual(
    JSON.parse(documentWith("TXN-06", "TXN-07")),
  );
});

test("the first id of a schema is a claim, and further ids document it", () => {
  expect(named("CONV-01", "TXN-06", "TXN-07.links-all")).toEqual([
    "CONV-01.uuid",
    "TXN-06",
    "TXN-07.links-all",
  ]);
});

test.each([
  ["TXN-066", 'spec/requirements.yaml does not have it; did you mean "TXN-06"?'],
  ["TXN-06.subse", 'spec/requirements.yaml does not have it; did you mean "TXN-06.subset"?'],
  ["TXN-06", "name a claim: TXN-06.present, TXN-06.unique, TXN-06.subset"],
])("refuses %s", (id, why) => {
  expect(() => named(id)).toThrow(`spec: @requirement("${id}"): ${why}`);
});
