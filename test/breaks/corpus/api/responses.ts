import {
  addProperty,
  become,
  component,
  existing,
  makeOptional,
  makeRequired,
  moveKey,
  operation,
  property,
  renameProperty,
  response,
} from "../edits.ts";
import { inApi, type LabelledChange } from "../labelled-change.ts";

/** Changes of responses. */
export const responseChanges: readonly LabelledChange[] = [
  {
    name: "response-optional-field-added",
    where: "api",
    meaning: "A card may have an expiry; callers ignore unknown fields.",
    edit: (doc) => addProperty(component(doc, "Card"), "expiresAt", { type: "string" }),
    expected: inApi({ caller: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "response-required-field-added",
    where: "api",
    meaning: "A bank account must have a name, which was optional.",
    edit: (doc) =>
      addProperty(component(doc, "BankAccount"), "name", { type: "string" }, "required"),
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-field-made-optional",
    where: "api",
    meaning: "A page of cards may omit its total, which was guaranteed.",
    edit: (doc) => makeOptional(component(doc, "CardPage"), "totalItems"),
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-field-made-required",
    where: "api",
    meaning: "A page of transactions must have a total, which was optional.",
    edit: (doc) => makeRequired(component(doc, "TransactionPage"), "totalItems"),
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-list-key-renamed",
    where: "api",
    meaning: "The list of bank links has another key: one of them is always missing.",
    edit: (doc) =>
      renameProperty(property(component(doc, "BankLinkPage"), "_embedded"), "bankLinks", "links"),
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-page-becomes-array",
    where: "api",
    meaning: "A list returns an array instead of a page.",
    edit: (doc) => {
      const { content = {} } = response(doc, "listSubaccounts", "200");
      const media = existing(content["application/json"], "JSON");
      media.schema = { type: "array", items: { $ref: "#/components/schemas/Subaccount" } };
    },
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-constant-changed",
    where: "api",
    meaning: "The lifetime of a token is 600 seconds instead of 300.",
    edit: (doc) => {
      property(component(doc, "AccessToken"), "expires_in").enum = [600];
    },
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-constant-becomes-range",
    where: "api",
    meaning: "The lifetime of a token may be any number of seconds; callers rely on 300.",
    edit: (doc) => {
      const expiresIn = property(component(doc, "AccessToken"), "expires_in");
      become(expiresIn, { type: "integer", minimum: 1 });
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-object-closed",
    where: "api",
    meaning: "A card has no unknown fields; a server may send more, and code may read them.",
    edit: (doc) => {
      component(doc, "Card")["additionalProperties"] = false;
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-open-type-closed",
    where: "api",
    meaning: "The currency of a listed posting must be a string; a server could send any type.",
    edit: (doc) => {
      become(property(component(doc, "BankTransaction"), "currency"), { type: "string" });
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "response-open-type-changed",
    where: "api",
    meaning: "The known type of an open type changes: any type was valid, but the types differ.",
    edit: (doc) => {
      const currency = property(component(doc, "BankTransaction"), "currency");
      currency["x-extensible-type"] = "number";
    },
    expected: inApi({ caller: "compatible", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "response-open-set-closed",
    where: "api",
    meaning: "A listed match must have one of three confidences; any value was valid.",
    edit: (doc) => {
      const confidence = property(component(doc, "TransactionMatch"), "confidence");
      become(confidence, { type: "string", enum: ["HIGH", "MEDIUM", "LOW"] });
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-any-item-becomes-text",
    where: "api",
    meaning: "The categories of a posting are strings; a server could send any type.",
    edit: (doc) => {
      property(component(doc, "BankTransaction"), "category").items = { type: "string" };
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-optional-field-retyped",
    where: "api",
    meaning: "The optional approval code is a number; no value is valid in both contracts.",
    edit: (doc) => {
      const code = property(component(doc, "TransactionMessage"), "approvalCode");
      become(code, { type: "integer" });
    },
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-page-link-removed",
    where: "api",
    meaning: "A page of cards no longer links to the last page, which was guaranteed.",
    edit: (doc) => makeOptional(component(doc, "OffsetLinks"), "last"),
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-variant-removed",
    where: "api",
    meaning: "A subscription is never of type bank-feed; a server with such a subscription fails.",
    edit: (doc) => {
      const subscription = component(doc, "CardSubscription");
      subscription.oneOf?.pop();
      const { mapping } = subscription["discriminator"] as { mapping: Record<string, string> };
      delete mapping["bank-feed"];
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "response-integer-limited",
    where: "api",
    meaning: "The total of a page of cards is at most 10,000; a server may have more.",
    edit: (doc) => {
      property(component(doc, "CardPage"), "totalItems")["maximum"] = 10_000;
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "response-status-changed",
    where: "api",
    meaning: "The token response is a 201 instead of a 200.",
    edit: (doc) => moveKey(operation(doc, "requestToken").responses, "200", "201"),
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "response-status-described",
    where: "api",
    meaning: "404 is described separately; it was one of the other errors, without a body.",
    edit: (doc) => {
      operation(doc, "getCard").responses["404"] = { description: "There is no such card." };
    },
    expected: inApi({ caller: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "response-media-type-changed",
    where: "api",
    meaning: "A card is sent as HAL+JSON, which a caller that expects JSON cannot read.",
    edit: (doc) => {
      const { content = {} } = response(doc, "getCard", "200");
      moveKey(content, "application/json", "application/hal+json");
    },
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "response-header-made-required",
    where: "api",
    meaning: "A 429 must have a Retry-After, which was optional.",
    edit: (doc) => {
      existing(response(doc, "listCards", "429").headers?.["Retry-After"], "header").required =
        true;
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "response-header-tightened",
    where: "api",
    meaning: "Retry-After is a number of seconds; a server may send a date.",
    edit: (doc) => {
      const { headers = {} } = response(doc, "listCards", "429");
      existing(headers["Retry-After"], "header").schema["pattern"] = "^[0-9]+$";
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: false,
  },
];
