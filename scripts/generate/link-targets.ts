import type { Document, Schema } from "./document.ts";

/**
 * Removes `x-leads-to` from the document, and merges named schemas that differed only in it and in
 * their descriptions. The generated code of one schema then serves all of them.
 */
export function withoutLinkTargets(document: Document): Document {
  const schemas = Object.entries(document.components.schemas);
  const [targeted, plain] = [true, false].map((wanted) =>
    schemas.filter(([, schema]) => JSON.stringify(schema).includes(`"${LINK_TARGET}":`) === wanted),
  ) as [typeof schemas, typeof schemas];
  // Keep the first of several equal shapes, preferably one without link targets.
  const keptByShape = new Map(
    [...plain, ...targeted].reverse().map(([name, schema]) => [shapeOf(schema), name]),
  );
  const names = new Map(schemas.map(([name]) => [name, name]));
  for (const [name, schema] of targeted) names.set(name, keptByShape.get(shapeOf(schema)) ?? name);

  const refs = new Map([...names].map(([name, kept]) => [`${REF}${name}`, `${REF}${kept}`]));
  const rest: Document = JSON.parse(JSON.stringify(document), (key, value) => {
    if (key === LINK_TARGET && typeof value === "string") return undefined;
    return key === "$ref" ? (refs.get(value) ?? value) : value;
  });
  // A kept schema takes the position of the first schema that it replaces.
  const kept = [...new Set(names.values())].map((name): [string, Schema] => [
    name,
    rest.components.schemas[name] ?? {},
  ]);
  return { ...rest, components: { schemas: Object.fromEntries(kept) } };
}

const LINK_TARGET = "x-leads-to";
const REF = "#/components/schemas/";

/** A schema as text, without descriptions and link targets. */
function shapeOf(schema: Schema): string {
  return JSON.stringify(schema, (key, value) =>
    (key === "description" || key === LINK_TARGET) && typeof value === "string" ? undefined : value,
  );
}
