import { ScriptError } from "../run-script.ts";
import {
  type Document,
  eventSchemas,
  type Media,
  operationsOf,
  type Schema,
  schemaName,
} from "./document.ts";

/** A JSON body of the contract, and its examples by file. */
interface Body {
  /** The folder of its examples. */
  readonly folder: string;
  readonly schema: Schema;
  readonly examples: readonly (readonly [file: string, value: unknown])[];
}

/** A property of a schema, and where an example of the schema could show it. */
interface Property {
  readonly owner: string;
  readonly name: string;
  readonly file: string;
}

/**
 * Checks that an example shows each property. The documentation, the mock and the tests show what
 * the examples show.
 *
 * @throws {ScriptError} A line for each body without examples, and for each property that none
 * shows: the file, the property, and what to add.
 */
export function checkExampleCoverage(document: Document): void {
  const { schemas } = document.components;
  const lines: string[] = [];
  const shown = new Set<string>();
  const declared = new Map<string, Property>();

  const visit = (schema: Schema, owner: string, value: unknown, file: string): void => {
    if (schema.$ref !== undefined) {
      const name = schemaName(schema.$ref);
      visit(schemas[name] ?? {}, name, value, file);
    }
    const isObject = typeof value === "object" && value !== null;
    if (schema.discriminator && isObject) {
      const { propertyName, mapping = {} } = schema.discriminator;
      const $ref = mapping[String((value as Record<string, unknown>)[propertyName])];
      if ($ref) visit({ $ref }, owner, value, file);
    }
    for (const part of schema.anyOf ?? []) visit(part, owner, value, file);
    if (schema.items && Array.isArray(value)) {
      for (const item of value) visit(schema.items, owner, item, file);
    }
    if (!isObject) return;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const key = `${name}: ${shapeOf(property)}`;
      if (!declared.has(key)) declared.set(key, { owner, name, file });
      if (!Object.hasOwn(value, name)) continue;
      shown.add(key);
      visit(property, owner, (value as Record<string, unknown>)[name], file);
    }
  };

  for (const { folder, schema, examples } of bodiesOf(document)) {
    if (examples.length === 0) lines.push(`${folder}: has no example: add one, such as a.json`);
    for (const [file, value] of examples) visit(schema, folder, value, file);
  }
  for (const [key, { owner, name, file }] of declared) {
    if (shown.has(key)) continue;
    lines.push(`${file}: no example has ${owner}.${name}: add it here or to another example`);
  }
  if (lines.length > 0) throw new ScriptError(lines);
}

/** The payloads of the events, and the bodies of the operations' 200 responses. */
function bodiesOf(document: Document): Body[] {
  const events = eventSchemas(document).map(([event]) => {
    const media = document.webhooks[event]?.post.requestBody?.content["application/json"];
    return bodyOf(event, media);
  });
  const responses = operationsOf(document).map(({ operation }) =>
    bodyOf(operation.operationId, operation.responses["200"]?.content?.["application/json"]),
  );
  return [...events, ...responses].flatMap((body) => body ?? []);
}

function bodyOf(name: string, media: Media | undefined): Body | undefined {
  const folder = `spec/examples/${name}/`;
  const examples = Object.entries(media?.examples ?? {}).map(
    ([one, { value }]) => [`${folder}${one}.json`, value] as const,
  );
  return media && { folder, schema: media.schema, examples };
}

/** A property's schema without its words: the same property may belong to several schemas. */
function shapeOf(property: Schema): string {
  return JSON.stringify(property, (key, value) =>
    (key === "description" && typeof value === "string") || key === "x-requirements"
      ? undefined
      : value,
  );
}
