import type { Parameter, Schema } from "../../../document.ts";
import {
  addProperty,
  become,
  component,
  existing,
  inline,
  makeOptional,
  moveKey,
  operation,
  property,
  removeProperty,
} from "../edits.ts";
import { type Doc, inApi, type LabelledChange } from "../labelled-change.ts";

/** The schema of a parameter shared by lists. */
function sharedParameter(doc: Doc, name: string): Schema {
  const parameter = existing(doc.components.parameters[name], `parameter ${name}`);
  return existing(parameter.schema, `schema of ${name}`);
}

function addParameter(doc: Doc, operationId: string, parameter: Parameter): void {
  operation(doc, operationId).parameters?.push(parameter);
}

const STATUS: Parameter = { name: "status", in: "query", schema: { type: "string" } };

/** Changes of requests. */
export const requestChanges: readonly LabelledChange[] = [
  {
    name: "limit-maximum-lowered",
    where: "api",
    meaning: "A caller that requests 100 items is refused.",
    edit: (doc) => {
      sharedParameter(doc, "LimitParameter")["maximum"] = 50;
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "limit-maximum-raised",
    where: "api",
    meaning: "A caller may request 200 items, which an old server refuses.",
    edit: (doc) => {
      sharedParameter(doc, "LimitParameter")["maximum"] = 200;
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "limit-becomes-closed-set",
    where: "api",
    meaning: "Only three page sizes are allowed.",
    edit: (doc) => {
      sharedParameter(doc, "LimitParameter").enum = [10, 50, 100];
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "cursor-length-limited",
    where: "api",
    meaning: "A cursor has at most 512 characters; callers may send longer ones.",
    edit: (doc) => {
      sharedParameter(doc, "CursorParameter")["maxLength"] = 512;
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "offset-minimum-dropped",
    where: "api",
    meaning: "A caller may send a negative offset, which an old server refuses.",
    edit: (doc) => {
      delete sharedParameter(doc, "OffsetParameter")["minimum"];
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "optional-parameter-added",
    where: "api",
    meaning: "A list may be filtered; a server that does not know the filter ignores it.",
    edit: (doc) => addParameter(doc, "listTransactions", { ...STATUS, required: false }),
    expected: inApi({ caller: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "required-parameter-added",
    where: "api",
    meaning: "A caller that sends no status is refused.",
    edit: (doc) => addParameter(doc, "listTransactions", { ...STATUS, required: true }),
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "required-header-added",
    where: "api",
    meaning: "A caller that completes a link must send an idempotency key.",
    edit: (doc) =>
      addParameter(doc, "completeBankLink", {
        ...{ name: "idempotency-key", in: "header", required: true },
        schema: { type: "string" },
      }),
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "optional-parameter-made-required",
    where: "api",
    meaning: "A list requires a limit, which was optional.",
    edit: (doc) => {
      existing(doc.components.parameters["LimitParameter"], "LimitParameter").required = true;
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "optional-parameter-removed",
    where: "api",
    meaning:
      "Bank links lose the offset: servers ignore it, but code that sets it does not compile.",
    edit: (doc) => {
      const list = operation(doc, "listBankLinks");
      list.parameters =
        list.parameters?.filter(({ $ref }) => !$ref?.endsWith("OffsetParameter")) ?? [];
    },
    expected: inApi({ caller: "compatible", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "path-parameter-renamed",
    where: "api",
    meaning: "The path parameter has another name; URLs do not change.",
    edit: (doc) => {
      existing(operation(doc, "completeBankLink").parameters?.[0], "parameter").name = "id";
      moveKey(doc.paths, "/bank-links/{bankLinkId}", "/bank-links/{id}");
    },
    expected: inApi({ caller: "none", implementer: "none", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "path-parameter-loosened",
    where: "api",
    meaning: "A card id may be any string, which an old server refuses.",
    edit: (doc) => {
      const [id] = operation(doc, "getCard").parameters ?? [];
      become(existing(id?.schema, "schema of id"), { type: "string" });
    },
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "path-parameter-tightened",
    where: "api",
    meaning: "A card's id in a path must be in lower case.",
    edit: (doc) => {
      const [id] = operation(doc, "getCard").parameters ?? [];
      inline(doc, existing(id?.schema, "schema of id"))["pattern"] =
        "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "request-closed-set-extended",
    where: "api",
    meaning: "A second grant type is allowed, which an old server refuses.",
    edit: (doc) =>
      property(component(doc, "TokenRequest"), "grant_type").enum?.push("refresh_token"),
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "request-optional-field-added",
    where: "api",
    meaning: "A token request may have a scope; servers ignore unknown fields.",
    edit: (doc) => addProperty(component(doc, "TokenRequest"), "scope", { type: "string" }),
    expected: inApi({ caller: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "request-required-field-added",
    where: "api",
    meaning: "A token request must have a scope, which callers do not send.",
    edit: (doc) =>
      addProperty(component(doc, "TokenRequest"), "scope", { type: "string" }, "required"),
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "request-field-made-optional",
    where: "api",
    meaning: "A caller may omit the secret, which an old server refuses.",
    edit: (doc) => makeOptional(component(doc, "TokenRequest"), "client_secret"),
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "request-field-removed",
    where: "api",
    meaning: "The secret is removed: sending it is harmless, but an old server requires it.",
    edit: (doc) => removeProperty(component(doc, "TokenRequest"), "client_secret"),
    expected: inApi({ caller: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "request-length-limited",
    where: "api",
    meaning: "A client id has at most 32 characters; existing ones may be longer.",
    edit: (doc) => {
      property(component(doc, "TokenRequest"), "client_id")["maxLength"] = 32;
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "request-media-type-changed",
    where: "api",
    meaning: "A token request is JSON instead of a form.",
    edit: (doc) => {
      const { content } = existing(operation(doc, "requestToken").requestBody, "body");
      moveKey(content, "application/x-www-form-urlencoded", "application/json");
    },
    expected: inApi({ caller: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "request-body-made-required",
    where: "api",
    meaning: "A caller that completes a link without a body is refused.",
    edit: (doc) => {
      existing(operation(doc, "completeBankLink").requestBody, "body").required = true;
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "request-body-typed",
    where: "api",
    meaning: "The body, which could be any JSON, must be an object with a status.",
    edit: (doc) => {
      const { content } = existing(operation(doc, "completeBankLink").requestBody, "body");
      const media = existing(content["application/json"], "JSON body");
      const properties = { status: { type: "string" } };
      media.schema = { type: "object", required: ["status"], properties };
    },
    expected: inApi({ caller: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
];
