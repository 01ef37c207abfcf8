import {
  addRequirement,
  become,
  component,
  existing,
  moveKey,
  operation,
  property,
  refTo,
  removeRequirement,
  renameComponent,
} from "../edits.ts";
import { inApi, type LabelledChange, NONE } from "../labelled-change.ts";

/** Changes of whole operations, and equivalent notations. */
export const operationChanges: readonly LabelledChange[] = [
  {
    name: "operation-added",
    where: "api",
    meaning: "Callers can ignore the new operation, but a server must implement it.",
    edit: (doc) => {
      const item = structuredClone(existing(doc.paths["/cards/{id}"], "/cards/{id}"));
      existing(item["get"], "GET").operationId = "getMerchant";
      doc.paths["/merchants/{id}"] = item;
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "operation-removed",
    where: "api",
    meaning: "A caller that lists bank accounts gets an error.",
    edit: (doc) => {
      delete doc.paths["/bank-accounts"];
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "operation-moved",
    where: "api",
    meaning: "A link is completed at another path.",
    edit: (doc) =>
      moveKey(doc.paths, "/bank-links/{bankLinkId}", "/bank-links/{bankLinkId}/completion"),
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "operation-method-changed",
    where: "api",
    meaning: "A link is completed with PUT instead of PATCH.",
    edit: (doc) => moveKey(existing(doc.paths["/bank-links/{bankLinkId}"], "path"), "patch", "put"),
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "operation-security-added",
    where: "api",
    meaning: "The token exchange itself requires a token.",
    edit: (doc) => {
      operation(doc, "requestToken").security = [{ AccessTokenHeader: [] }];
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "operation-security-removed",
    where: "api",
    meaning: "A card can be read without a token, which an old server refuses.",
    edit: (doc) => {
      operation(doc, "getCard").security = [];
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "operation-requirement-added",
    where: "api",
    meaning: "A server is tested for a new requirement.",
    edit: (doc) => addRequirement(doc, operation(doc, "listCards"), "PAGE-99"),
    expected: inApi({ caller: "none", implementer: "breaking", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "operation-requirement-removed",
    where: "api",
    meaning: "A server must meet one requirement less.",
    edit: (doc) => removeRequirement(doc, "PAGE-08"),
    expected: inApi({ caller: "none", implementer: "compatible", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "operation-deprecated",
    where: "api",
    meaning: "An operation is marked as deprecated; it works as before.",
    edit: (doc) => {
      operation(doc, "listBankAccounts").deprecated = true;
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "operation-words-changed",
    where: "api",
    meaning: "Summary, descriptions and tags of an operation are reworded.",
    edit: (doc) => {
      const changed = operation(doc, "listCards");
      Object.assign(changed, {
        summary: "Cards",
        description: "New text.",
        tags: ["Subaccounts"],
      });
      for (const response of Object.values(changed.responses))
        response.description = "Other words.";
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "operation-id-changed",
    where: "api",
    meaning: "An operation has another id; its path, requests and responses are the same.",
    edit: (doc) => {
      operation(doc, "listCards").operationId = "findCards";
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "parameter-order-changed",
    where: "api",
    meaning: "Parameters and paths are in another order.",
    edit: (doc) => {
      operation(doc, "listTransactions").parameters?.reverse();
      doc.paths = Object.fromEntries(Object.entries(doc.paths).reverse());
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "parameter-reference-inlined",
    where: "api",
    meaning: "A shared parameter is inlined.",
    edit: (doc) => {
      const { parameters = [] } = operation(doc, "listCards");
      const limit = existing(doc.components.parameters["LimitParameter"], "LimitParameter");
      parameters[1] = structuredClone(limit);
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "parameter-bound-as-exclusive",
    where: "api",
    meaning: "A limit of at least 1 is written as more than 0, which is equal for integers.",
    edit: (doc) => {
      const { schema } = existing(doc.components.parameters["LimitParameter"], "LimitParameter");
      become(existing(schema, "schema"), { type: "integer", exclusiveMinimum: 0, maximum: 100 });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "parameter-required-left-out",
    where: "api",
    meaning: "An optional parameter no longer has required: false.",
    edit: (doc) => {
      delete doc.components.parameters["LimitParameter"]?.required;
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "response-component-renamed",
    where: "api",
    meaning: "The component of a card has another name.",
    edit: (doc) => renameComponent(doc, "Card", "EnrolledCard"),
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "response-null-as-any-of",
    where: "api",
    meaning: "A nullable string is written as anyOf, and a component is wrapped in allOf.",
    edit: (doc) => {
      const message = component(doc, "TransactionMessage");
      const forms = [{ type: "null" }, { type: "string" }];
      become(property(message, "approvalCode"), { anyOf: forms });
      become(property(message, "accountId"), { allOf: [refTo("Id")] });
    },
    expected: NONE,
    isShapeBreak: false,
  },
];
