import {
  type Document,
  eventSchemas,
  responseSchemas,
  type Schema,
  schemaName,
} from "./document.ts";

const REF = "#/components/schemas/";

/**
 * Rewrites each event payload that equals a resource plus `metadata` as
 * `{$ref, properties: {metadata}}`, so that the payload shares the generated code of the resource.
 */
export function withSharedSchemas(document: Document): Document {
  const { schemas } = document.components;
  const written = eventSchemas(document).map(([, name]): [string, Schema] => {
    const schema = schemas[name] ?? {};
    const resource = Object.keys(schemas).find(
      (other) => other !== name && isResourceWithMetadata(name, other),
    );
    if (resource === undefined) return [name, schema];
    const requirements = schema["x-requirements"] ?? [];
    const metadata = metadataOf(schema) ?? {};
    return [
      name,
      { $ref: `${REF}${resource}`, properties: { metadata }, "x-requirements": requirements },
    ];
  });
  return reachable({
    ...document,
    components: { schemas: { ...schemas, ...Object.fromEntries(written) } },
  });

  function metadataOf({ properties, discriminator }: Schema): Schema | undefined {
    const [variant = ""] = Object.values(discriminator?.mapping ?? {});
    return properties?.["metadata"] ?? schemas[schemaName(variant)]?.properties?.["metadata"];
  }

  /** Whether an event equals a resource plus metadata. For a union, whether each variant does. */
  function isResourceWithMetadata(event: string, resource: string): boolean {
    const [left, right] = [schemas[event] ?? {}, schemas[resource] ?? {}];
    const [ofEvent, ofResource] = [left, right].map(({ discriminator }) =>
      Object.entries(discriminator?.mapping ?? {}),
    ) as [[string, string][], [string, string][]];
    if (ofEvent.length > 0) {
      return (
        ofEvent.length === ofResource.length &&
        ofEvent.every(([tag, $ref], i) => {
          const [otherTag, other] = ofResource[i] ?? ["", ""];
          return tag === otherTag && isResourceWithMetadata(schemaName($ref), schemaName(other));
        })
      );
    }
    const { metadata, ...fields } = left.properties ?? {};
    // A closed resource does not allow metadata.
    if (left.additionalProperties === false) return false;
    return metadata !== undefined && isSame({ ...left, properties: fields }, right);
  }
}

/** Removes the schemas that no payload and no response refers to. */
function reachable(document: Document): Document {
  const { schemas } = document.components;
  const found = new Set<string>();
  const follow = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const text = JSON.stringify(schemas[name]);
    for (const [, next = ""] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) follow(next);
  };
  for (const [, name] of [...eventSchemas(document), ...responseSchemas(document)]) follow(name);
  const kept = Object.entries(schemas).filter(([name]) => found.has(name));
  return { ...document, components: { schemas: Object.fromEntries(kept) } };
}

/** Whether two schemas are equal except for descriptions and examples. */
function isSame(left: Schema, right: Schema): boolean {
  const text = (schema: Schema) =>
    JSON.stringify(schema, (key, value) =>
      (key === "description" || key === "example") && typeof value === "string" ? undefined : value,
    );
  return text(left) === text(right);
}
