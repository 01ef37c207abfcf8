import { expect, test } from "vitest";
import { checkRequirementIds, readCatalogue } from "../../scripts/generate/requirements.ts";
import { ROOT, readDocument } from "../document.ts";

const catalogue = await readCatalogue(ROOT);

test("the contract names only requirements of the catalogue", () => {
  expect(() => checkRequirementIds(readDocument(), catalogue)).not.toThrow();
});

test("reports an id that is not in the catalogue, with the nearest one", () => {
  const field = { type: "string", "x-requirements": ["TXN-066", "TXN-01"] };
  const document = { components: { schemas: { Card: { properties: { field } } } } };
  expect(() => checkRequirementIds(document, catalogue)).toThrow(
    'spec: @requirement("TXN-066"): spec/requirements.yaml has no such requirement; ' +
      'did you mean "TXN-06"?',
  );
});
