import { withBanner } from "./banner.ts";
import {
  type Document,
  eventSchemas,
  responseSchemas,
  type Schema,
  schemaName,
} from "./document.ts";
import { requirementsOfFormats } from "./validators.ts";

/** See the type of the same name in what is rendered. */
interface SchemaNode {
  requirements?: string[];
  format?: string;
  ref?: string;
  properties?: Record<string, SchemaNode | string>;
  items?: SchemaNode | string;
  variants?: { property: string; of: Record<string, string> };
}

/**
 * Renders the requirements of each place of a payload: the contract's schemas, stripped to their
 * structure and their requirements. The conformance suite finds out with them which requirements a
 * body shows.
 */
export function renderSchemaIndex(document: Document): string {
  const { schemas } = document.components;
  const formats = requirementsOfFormats(document);
  const named = Object.entries(schemas).map(
    ([name, schema]) => `"${name}":${JSON.stringify(nodeOf(schema, formats))}`,
  );
  const answers = responseSchemas(document);
  const start = ([key, schema]: [string, string]) => `  ${JSON.stringify(key)}: "${schema}",`;
  return withBanner(`
import type { EventName } from "./events.ts";
import type { ResponseBodies } from "./operations.ts";
import type { RequirementId } from "./requirements.ts";

/** A place of a payload: its requirements, and the places below it. */
export interface SchemaNode {
  /** The requirements that the contract names here, the closest one first. */
  readonly requirements?: readonly RequirementId[];
  /**
   * The requirement that a value in the wrong format breaks, where the format has one of its own.
   */
  readonly format?: RequirementId;
  /** The named place that says the rest. */
  readonly ref?: string;
  /** The places below it, or the names of those that are just a named place; others ask nothing. */
  readonly properties?: Readonly<Record<string, SchemaNode | string>>;
  readonly items?: SchemaNode | string;
  /** A union: the named place that applies, by the value of a property. */
  readonly variants?: { readonly property: string; readonly of: Readonly<Record<string, string>> };
}

// It is read when it is first needed, and JSON is read faster than JavaScript.
const TEXT =
${literal(`{${named.join(",\n")}}`)};
let named: Readonly<Record<string, SchemaNode>> | undefined;

/** The place of a name that a place refers to. */
export function schemaNode(name: string): SchemaNode | undefined {
  named ??= JSON.parse(TEXT) as Readonly<Record<string, SchemaNode>>;
  return named[name];
}

/** The named place that each event's payload starts from. */
export const eventSchemaNames: Readonly<Record<EventName, string>> = {
${eventSchemas(document).map(start).join("\n")}
};

/** The named place that each operation's 200 answer starts from. */
export const responseSchemaNames: Readonly<Record<keyof ResponseBodies, string>> = {
${answers.map(start).join("\n")}
};
`);
}

/** A text as a literal, a line for each of its lines. */
function literal(text: string): string {
  const lines = text.split("\n").map((line) => `  '${line.replace(/[\\']/g, "\\$&")}'`);
  return lines.join(" +\n");
}

function nodeOf(schema: Schema, formats: Record<string, string>): SchemaNode {
  const place: SchemaNode = {};
  const format = schema.format && formats[schema.format];
  if (schema["x-requirements"]) place.requirements = schema["x-requirements"];
  if (format) place.format = format;
  const ref = schema.$ref ?? schema.anyOf?.find((part) => part.$ref)?.$ref;
  if (ref) place.ref = schemaName(ref);
  if (schema.items) place.items = shortened(nodeOf(schema.items, formats));
  const members = Object.entries(schema.properties ?? {})
    .map(([name, child]) => [name, shortened(nodeOf(child, formats))] as const)
    .filter(([, child]) => Object.keys(child).length > 0);
  if (members.length > 0) place.properties = Object.fromEntries(members);
  if (schema.discriminator) {
    const { propertyName, mapping = {} } = schema.discriminator;
    const of = Object.entries(mapping).map(([value, to]) => [value, schemaName(to)]);
    place.variants = { property: propertyName, of: Object.fromEntries(of) };
  }
  return place;
}

/** A place that only refers to another is written as the other's name. */
function shortened(place: SchemaNode): SchemaNode | string {
  const { ref, ...rest } = place;
  return ref !== undefined && Object.keys(rest).length === 0 ? ref : place;
}
