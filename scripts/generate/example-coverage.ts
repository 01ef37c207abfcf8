import { ScriptError } from "../run-script.ts";
import type { SourceOf } from "./contract.ts";
import {
  type Document,
  eventSchemas,
  type Media,
  operationsOf,
  type Schema,
  schemaName,
} from "./document.ts";

/** A JSON body of the contract, and its examples by name. */
interface Body {
  /** The event, or the operation's id. */
  readonly of: string;
  readonly schema: Schema;
  readonly examples: readonly (readonly [name: string, value: unknown])[];
}

/** A property of a schema, and the source of an example that could show it. */
interface Property {
  readonly owner: string;
  readonly name: string;
  readonly source: string;
}

/**
 * Checks that an example shows each property. The documentation, the mock and the tests show what
 * the examples show.
 *
 * @throws {ScriptError} A line for each body without examples, and for each property that none
 * shows: a source, the property, and what to add.
 */
export function checkExampleCoverage(document: Document, sourceOf: SourceOf): void {
  const { schemas } = document.components;
  const lines: string[] = [];
  const shown = new Set<string>();
  const declared = new Map<string, Property>();

  const visit = (schema: Schema, owner: string, value: unknown, source: string): void => {
    if (schema.$ref !== undefined) {
      const name = schemaName(schema.$ref);
      visit(schemas[name] ?? {}, name, value, source);
    }
    const isObject = typeof value === "object" && value !== null;
    if (schema.discriminator && isObject) {
      const { propertyName, mapping = {} } = schema.discriminator;
      const $ref = mapping[String((value as Record<string, unknown>)[propertyName])];
      if ($ref) visit({ $ref }, owner, value, source);
    }
    for (const part of schema.anyOf ?? []) visit(part, owner, value, source);
    if (schema.items && Array.isArray(value)) {
      for (const item of value) visit(schema.items, owner, item, source);
    }
    if (!isObject) return;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const key = `${name}: ${shapeOf(property)}`;
      if (!declared.has(key)) declared.set(key, { owner, name, source });
      if (!Object.hasOwn(value, name)) continue;
      shown.add(key);
      visit(property, owner, (value as Record<string, unknown>)[name], source);
    }
  };

  for (const { of, schema, examples } of bodiesOf(document)) {
    if (examples.length === 0) {
      lines.push(`spec/examples/${of}/: has no example: add one, such as a.json`);
    }
    for (const [name, value] of examples) visit(schema, of, value, sourceOf(of, name));
  }
  for (const [key, { owner, name, source }] of declared) {
    if (shown.has(key)) continue;
    const remedy = "let a verb set it, or add an example to spec/examples/";
    lines.push(`${source}: no example has ${owner}.${name}: ${remedy}`);
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

function bodyOf(of: string, media: Media | undefined): Body | undefined {
  const examples = Object.entries(media?.examples ?? {}).map(
    ([name, { value }]) => [name, value] as const,
  );
  return media && { of, schema: media.schema, examples };
}

/** A property's schema without its words: the same property may belong to several schemas. */
function shapeOf(property: Schema): string {
  return JSON.stringify(property, (key, value) =>
    (key === "description" && typeof value === "string") || key === "x-requirements"
      ? undefined
      : value,
  );
}
