/** Edits of the contract. All change the document in place. */
import type { Operation, Response, Schema } from "../../document.ts";
import type { Doc } from "./labelled-change.ts";

/** Returns a value that the document must have; throws if it is missing. */
export function existing<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the document has no ${what}`);
  return value;
}

/** Returns a component schema. Changing it affects everything that refers to it. */
export function component(doc: Doc, name: string): Schema {
  return existing(doc.components.schemas[name], `schema ${name}`);
}

/** Returns the schema of a property. */
export function property(schema: Schema, name: string): Schema {
  return existing(schema.properties?.[name], `property ${name}`);
}

/** Replaces the `$ref` of a schema by a copy of its target, so that an edit has no other effect. */
export function inline(doc: Doc, schema: Schema): Schema {
  const { $ref, ...rest } = schema;
  const name = existing($ref, "$ref to inline").slice("#/components/schemas/".length);
  delete schema.$ref;
  return Object.assign(schema, structuredClone(component(doc, name)), rest);
}

/** Returns a property of a component, with its `$ref` inlined. */
export function ownProperty(doc: Doc, name: string, field: string): Schema {
  return inline(doc, property(component(doc, name), field));
}

/** A reference to a component schema. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function addProperty(
  schema: Schema,
  name: string,
  value: Schema,
  presence: "optional" | "required" = "optional",
): void {
  schema.properties = { ...schema.properties, [name]: value };
  if (presence === "required") makeRequired(schema, name);
}

export function makeRequired(schema: Schema, name: string): void {
  schema.required = [...(schema.required ?? []), name];
}

export function makeOptional(schema: Schema, name: string): void {
  schema.required = existing(schema.required, "required").filter((other) => other !== name);
}

export function removeProperty(schema: Schema, name: string): void {
  property(schema, name);
  delete schema.properties?.[name];
  if (schema.required?.includes(name)) makeOptional(schema, name);
}

export function renameProperty(schema: Schema, from: string, to: string): void {
  const presence = schema.required?.includes(from) ? "required" : "optional";
  const value = property(schema, from);
  removeProperty(schema, from);
  addProperty(schema, to, value, presence);
}

/** Replaces the assertions of a schema; its description and requirement ids are kept. */
export function become(schema: Schema, next: Schema): void {
  const kept = ["description", "x-requirements"];
  for (const keyword of Object.keys(schema)) if (!kept.includes(keyword)) delete schema[keyword];
  Object.assign(schema, next);
}

/** Allows null in addition to the schema's only type. */
export function allowNull(schema: Schema): void {
  schema.type = [existing(schema.type, "type") as string, "null"];
}

/** The operation that sends an event. */
export function event(doc: Doc, name: string): Operation {
  return existing(doc.webhooks[name]?.["post"], `event ${name}`);
}

/** The schema of an event's body. */
export function eventBody(doc: Doc, name: string): Schema {
  const media = event(doc, name).requestBody?.content["application/json"];
  return existing(media, `body of ${name}`).schema;
}

/** An operation of the API. */
export function operation(doc: Doc, operationId: string): Operation {
  const operations = Object.values(doc.paths).flatMap((item) => Object.values(item));
  const found = operations.find((candidate) => candidate.operationId === operationId);
  return existing(found, `operation ${operationId}`);
}

/** A response of an operation. A shared one becomes the operation's own. */
export function response(doc: Doc, operationId: string, status: string): Response {
  const { responses } = operation(doc, operationId);
  const found = existing(responses[status], `${status} of ${operationId}`);
  const name = (found as { readonly $ref?: string }).$ref?.split("/").at(-1);
  if (name === undefined) return found;
  const { responses: shared = {} } = doc.components as { responses?: Record<string, Response> };
  const own = structuredClone(existing(shared[name], name));
  responses[status] = own;
  return own;
}

/** Moves an operation or an event to another key of its map. */
export function moveKey<T>(map: Record<string, T>, from: string, to: string): void {
  map[to] = existing(map[from], from);
  delete map[from];
}

/** Calls `visit` with every object in a value, including the value itself. */
export function visitObjects(value: unknown, visit: (object: Record<string, unknown>) => void) {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>);
  for (const child of Object.values(value)) visitObjects(child, visit);
}

/** Renames a component schema everywhere, including discriminator mappings. */
export function renameComponent(doc: Doc, from: string, to: string): void {
  moveKey(doc.components.schemas, from, to);
  const [before, after] = [refTo(from).$ref, refTo(to).$ref];
  visitObjects(doc, (object) => {
    for (const [key, value] of Object.entries(object)) if (value === before) object[key] = after;
  });
}

/** Returns every requirement id in the document. */
export function requirementIds(doc: Doc): string[] {
  const ids = new Set<string>();
  visitObjects(doc, ({ "x-requirements": named }) => {
    if (Array.isArray(named)) for (const id of named) ids.add(id);
  });
  return [...ids].sort();
}

/** Adds a requirement to an event or an operation, and to the document's list if it has one. */
export function addRequirement(doc: Doc, target: Operation, id: string): void {
  target["x-requirements"]?.push(id);
  doc["x-requirements"]?.push(id);
}

/** Removes a requirement from the whole document. */
export function removeRequirement(doc: Doc, id: string): void {
  visitObjects(doc, (object) => {
    const { "x-requirements": named } = object;
    if (Array.isArray(named)) object["x-requirements"] = named.filter((other) => other !== id);
  });
}
