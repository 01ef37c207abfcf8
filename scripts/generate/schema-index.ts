import { withBanner } from "./banner.ts";
import {
  type Document,
  eventSchemas,
  responseSchemas,
  type Schema,
  schemaName,
} from "./document.ts";
import { claimsOfFormats } from "./validators.ts";

/** See the type of the same name in the generated file. */
interface SchemaNode {
  claims?: string[];
  format?: string;
  ref?: string;
  properties?: Record<string, SchemaNode | string>;
  items?: SchemaNode | string;
  variants?: { property: string; of: Record<string, string> };
}

/**
 * Renders the schema index: the schemas of the contract, reduced to their structure and their
 * claims. The conformance suite uses it to find the claims that a body exercises.
 */
export function renderSchemaIndex(document: Document): string {
  const { schemas } = document.components;
  const formats = claimsOfFormats(document);
  const named = Object.entries(schemas).map(
    ([name, schema]) => `"${name}":${JSON.stringify(nodeOf(schema, formats))}`,
  );
  const responses = responseSchemas(document);
  const start = ([key, schema]: [string, string]) => `  ${JSON.stringify(key)}: "${schema}",`;
  return withBanner(`
import type { EventName } from "./events.ts";
import type { ResponseBodies } from "./operations.ts";
import type { ClaimId } from "./requirements.ts";

/** A schema at one position of a payload: its claims, and the schemas below it. */
export interface SchemaNode {
  /** The claims of this schema, the most specific one first. */
  readonly claims?: readonly ClaimId[];
  /** The claim that a value in the wrong format violates, if the format has one. */
  readonly format?: ClaimId;
  /** The name of the schema with the rest of the structure. */
  readonly ref?: string;
  /** The properties that have claims. A string is the name of a schema. */
  readonly properties?: Readonly<Record<string, SchemaNode | string>>;
  readonly items?: SchemaNode | string;
  /** In a union: the name of the schema for each value of a property. */
  readonly variants?: { readonly property: string; readonly of: Readonly<Record<string, string>> };
}

// Parsed on first use. JSON parses faster than JavaScript.
const TEXT =
${literal(`{${named.join(",\n")}}`)};
let named: Readonly<Record<string, SchemaNode>> | undefined;

/** Returns the schema with this name. */
export function schemaNode(name: string): SchemaNode | undefined {
  named ??= JSON.parse(TEXT) as Readonly<Record<string, SchemaNode>>;
  return named[name];
}

/** The name of the schema of each event's payload. */
export const eventSchemaNames: Readonly<Record<EventName, string>> = {
${eventSchemas(document).map(start).join("\n")}
};

/** The name of the schema of each operation's 200 response. */
export const responseSchemaNames: Readonly<Record<keyof ResponseBodies, string>> = {
${responses.map(start).join("\n")}
};

/** Every name of a property and every enumerated text. */
export const contractWords: readonly string[] = ${JSON.stringify(wordsOf(document))};
`);
}

/** The names and enumerated texts of all schemas, each once. */
function wordsOf({ components }: Document): string[] {
  const words = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { properties = {}, enum: closed, "x-extensible-enum": open } = node as Schema;
    for (const name of Object.keys(properties)) words.add(name);
    for (const value of [closed, open].flat()) if (typeof value === "string") words.add(value);
    for (const child of Object.values(node)) visit(child);
  };
  visit(components.schemas);
  return [...words];
}

/** Renders a text as a string literal, with a source line for each line of the text. */
function literal(text: string): string {
  const lines = text.split("\n").map((line) => `  '${line.replace(/[\\']/g, "\\$&")}'`);
  return lines.join(" +\n");
}

function nodeOf(schema: Schema, formats: Record<string, string>): SchemaNode {
  const node: SchemaNode = {};
  const format = schema.format && formats[schema.format];
  const claims = schema["x-requirements"]?.filter((id) => id.includes("."));
  if (claims && claims.length > 0) node.claims = claims;
  if (format) node.format = format;
  const ref = schema.$ref ?? schema.anyOf?.find((part) => part.$ref)?.$ref;
  if (ref) node.ref = schemaName(ref);
  if (schema.items) node.items = shortened(nodeOf(schema.items, formats));
  const members = Object.entries(schema.properties ?? {})
    .map(([name, child]) => [name, shortened(nodeOf(child, formats))] as const)
    .filter(([, child]) => Object.keys(child).length > 0);
  if (members.length > 0) node.properties = Object.fromEntries(members);
  if (schema.discriminator) {
    const { propertyName, mapping = {} } = schema.discriminator;
    const of = Object.entries(mapping).map(([value, to]) => [value, schemaName(to)]);
    node.variants = { property: propertyName, of: Object.fromEntries(of) };
  }
  return node;
}

/** Returns the target's name if a schema is only a reference; otherwise the schema. */
function shortened(node: SchemaNode): SchemaNode | string {
  const { ref, ...rest } = node;
  return ref !== undefined && Object.keys(rest).length === 0 ? ref : node;
}
