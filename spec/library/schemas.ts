import { OPEN_TYPE_EXTENSION } from "./decorators.ts";
import type { Document, Schema } from "./document.ts";

/**
 * Simplifies every schema of the document in place, without changing its meaning:
 * - `anyOf: [T, null]` of a plain type to `type: [T, "null"]`;
 * - a union of named strings and `string` (an open set) to `type: string` with `x-extensible-enum`;
 * - `unevaluatedProperties: {}` to `additionalProperties: true`;
 * - a number with an enum of integers to `type: integer`;
 * - the type of everything marked by `@openType` to `x-extensible-type`.
 */
export function simplifySchemas(document: Document): void {
  const named = document.components?.schemas ?? {};
  // Open sets first: a nullable one refers to its simplified form.
  visit(document, (schema) => openSet(schema));
  visit(document, (schema) => {
    nullable(schema, named);
    openObject(schema);
    integerSet(schema);
  });
  visit(document, (schema) => openType(schema, named));
}

/**
 * Removes named schemas that nothing refers to: no `$ref`, no mapping of a discriminator, no
 * extension. Run it before adding examples, whose strings are no references.
 */
export function dropUnusedSchemas(document: Document): void {
  const named = document.components?.schemas ?? {};
  const used = new Set<string>();
  const collect = (node: unknown): void => {
    if (typeof node === "object" && node !== null) Object.values(node).forEach(collect);
    if (typeof node !== "string" || !node.startsWith(REF)) return;
    const name = nameIn(node);
    if (used.has(name)) return;
    used.add(name);
    collect(named[name]);
  };
  collect({ ...document, components: { ...document.components, schemas: undefined } });
  for (const name of Object.keys(named)) if (!used.has(name)) delete named[name];
}

/** Keywords whose value maps names to schemas and is not a schema itself. */
const MAPS = new Set(["properties", "schemas"]);

/**
 * Calls `change` with every object except such maps, children first. Run it before adding examples.
 */
function visit(node: unknown, change: (schema: Schema) => void): void {
  const seen = new Set<unknown>();
  const enter = (value: unknown, isMap: boolean): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [key, child] of Object.entries(value)) enter(child, !isMap && MAPS.has(key));
    if (!isMap && !Array.isArray(value)) change(value as Schema);
  };
  enter(node, false);
}

const REF = "#/components/schemas/";

function nameIn($ref: string): string {
  return $ref.replace(REF, "");
}

function openSet(schema: Schema): void {
  const { anyOf } = schema;
  const isPlain = (part: Schema) =>
    part.type === "string" && Object.keys(part).every((key) => key === "type" || key === "enum");
  if (!anyOf?.every(isPlain)) return;
  const shown = anyOf.flatMap((part) => part.enum ?? []);
  const isOpen = anyOf.some((part) => Object.keys(part).length === 1);
  if (!isOpen || shown.length === 0) return;
  delete schema.anyOf;
  Object.assign(schema, { type: "string", "x-extensible-enum": shown });
}

function nullable(schema: Schema, named: Record<string, Schema>): void {
  const { anyOf } = schema;
  if (anyOf?.length !== 2 || anyOf[1]?.type !== "null") return;
  const [first] = anyOf as [Schema];
  const plain = first.$ref ? named[nameIn(first.$ref)] : first;
  if (!plain || typeof plain.type !== "string" || plain.type === "object" || plain.enum) return;
  delete schema.anyOf;
  // Keywords of the property override those of its type.
  const own = { ...schema };
  Object.assign(schema, plain, own, { type: [plain.type, "null"] });
}

function openObject(schema: Schema): void {
  const open = schema.unevaluatedProperties;
  if (typeof open !== "object" || open === null || Object.keys(open).length > 0) return;
  delete schema.unevaluatedProperties;
  schema.additionalProperties = true;
}

function openType(schema: Schema, named: Record<string, Schema>): void {
  if (schema[OPEN_TYPE_EXTENSION] !== true) return;
  const {
    type,
    enum: closed,
    ...declared
  } = schema.$ref ? (named[nameIn(schema.$ref)] ?? {}) : schema;
  const shown = closed ?? declared["x-extensible-enum"];
  delete schema.$ref;
  delete schema.type;
  delete schema.enum;
  Object.assign(schema, { [OPEN_TYPE_EXTENSION]: type });
  if (type) describeOpenType(schema, [type].flat());
  if (shown) schema["x-extensible-enum"] = shown;
}

/** Says in the description what a schema without a type usually is. */
function describeOpenType(schema: Schema, types: readonly string[]): void {
  const article = (type: string) => (/^[aio]/.test(type) ? "an" : "a");
  const words = types.map((type) => (type === "null" ? type : `${article(type)} ${type}`));
  const { description } = schema;
  const before = typeof description === "string" ? `${description} ` : "";
  schema.description = `${before}Usually ${words.join(" or ")}.`;
}

function integerSet(schema: Schema): void {
  if (schema.type === "number" && schema.enum?.every(Number.isInteger)) schema.type = "integer";
}
