import { requirementIds } from "./edits.ts";
import { inApi, type LabelledChange, NONE } from "./labelled-change.ts";

/** Changes outside of events and operations. */
export const documentChanges: readonly LabelledChange[] = [
  {
    name: "document-words-changed",
    where: "document",
    meaning: "The info section has another text and version.",
    edit: (doc) => {
      Object.assign(doc.info, { description: "New text.", version: "9.9.9" });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "document-tags-changed",
    where: "document",
    meaning: "The tags have other descriptions and another order.",
    edit: (doc) => {
      for (const tag of doc.tags) tag.description = "New text.";
      doc.tags.reverse();
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "document-unused-component-added",
    where: "document",
    meaning: "A component is added that nothing refers to.",
    edit: (doc) => {
      const properties = { points: { type: "integer" } };
      doc.components.schemas["Reward"] = { type: "object", required: ["points"], properties };
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "document-components-in-another-order",
    where: "document",
    meaning: "Components are in another order.",
    edit: (doc) => {
      const entries = Object.entries(doc.components.schemas).reverse();
      doc.components.schemas = Object.fromEntries(entries);
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "document-requirements-listed",
    where: "document",
    meaning: "The document lists its requirement ids in reverse order; none is new.",
    edit: (doc) => {
      doc["x-requirements"] = requirementIds(doc).reverse();
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "document-security-alternative-added",
    where: "document",
    meaning: "A caller may send a key instead of a token, which a server must accept.",
    edit: (doc) => {
      const scheme = { type: "apiKey", in: "header", name: "x-api-key" };
      doc.components.securitySchemes["ApiKey"] = scheme;
      doc.security.push({ ApiKey: [] });
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "document-security-alternatives-reordered",
    where: "document",
    meaning: "The security schemes are listed in another order.",
    edit: (doc) => void doc.security.reverse(),
    expected: NONE,
    isShapeBreak: false,
  },
];
