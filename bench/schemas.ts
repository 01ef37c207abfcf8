import { readFileSync } from "node:fs";
import { parseDocument } from "../scripts/generate/document.ts";
import {
  MEASURED_EVENTS,
  type MeasuredEvent,
  type Schema,
} from "./validation/libraries/library.ts";

interface Document {
  webhooks: Record<
    string,
    { post: { requestBody: { content: { "application/json": { schema: Reference } } } } }
  >;
  components: { schemas: Record<string, unknown> };
}

interface Reference {
  $ref: string;
}

/** Keywords that do not affect validation. */
const isAnnotation = (key: string) => /^(description|example|x-.+)$/.test(key);

const document = parseDocument(
  readFileSync(new URL("../generated/openapi.json", import.meta.url), "utf8"),
) as unknown as Document;

/** Resolves references, so that every library gets self-contained JSON Schema. */
function dereference(node: unknown, isPropertyMap = false): unknown {
  if (Array.isArray(node)) return node.map((item) => dereference(item));
  if (typeof node !== "object" || node === null) return node;
  const { $ref, ...own } = node as { $ref?: string };
  const target = $ref && document.components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
  const entries = Object.entries({ ...(target as object), ...own })
    .filter(([key]) => isPropertyMap || !isAnnotation(key))
    .map(([key, value]) => [key, dereference(value, !isPropertyMap && key === "properties")]);
  const schema: Schema = Object.fromEntries(entries);
  // A format implies its pattern, so the libraries need not check both.
  if (!isPropertyMap && schema.format) delete schema.pattern;
  return schema;
}

/** The reference of each event's schema, and the components that they refer to. */
export const contract = {
  components: document.components,
  references: Object.entries(document.webhooks).map(([event, { post }]) => {
    return { event, ...post.requestBody.content["application/json"].schema };
  }),
};

function schemaOf(event: MeasuredEvent): Schema {
  const reference = contract.references.find((own) => own.event === event);
  return dereference({ $ref: reference?.$ref }) as Schema;
}

/** The dereferenced JSON Schema of each measured payload. */
export const schemas = Object.fromEntries(
  MEASURED_EVENTS.map((event) => [event, schemaOf(event)]),
) as Readonly<Record<MeasuredEvent, Schema>>;
