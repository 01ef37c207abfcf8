import type { Document, Schema } from "./document.ts";

/**
 * The document without what it says of where links lead. Named schemas that differ in that alone,
 * and in their descriptions, come out as one, so that what is generated for the one serves all.
 */
export function withoutLinkTargets(document: Document): Document {
  const schemas = Object.entries(document.components.schemas);
  const [targeted, plain] = [true, false].map((wanted) =>
    schemas.filter(([, schema]) => JSON.stringify(schema).includes(`"${LINK_TARGET}":`) === wanted),
  ) as [typeof schemas, typeof schemas];
  // The first of a shape serves the rest; before all, one that says nothing of its links.
  const serving = new Map(
    [...plain, ...targeted].reverse().map(([name, schema]) => [shapeOf(schema), name]),
  );
  const names = new Map(schemas.map(([name]) => [name, name]));
  for (const [name, schema] of targeted) names.set(name, serving.get(shapeOf(schema)) ?? name);

  const refs = new Map([...names].map(([name, served]) => [`${REF}${name}`, `${REF}${served}`]));
  const rest: Document = JSON.parse(JSON.stringify(document), (key, value) => {
    if (key === LINK_TARGET && typeof value === "string") return undefined;
    return key === "$ref" ? (refs.get(value) ?? value) : value;
  });
  // Each stands where the first of those that it serves stood.
  const kept = [...new Set(names.values())].map((name): [string, Schema] => [
    name,
    rest.components.schemas[name] ?? {},
  ]);
  return { ...rest, components: { schemas: Object.fromEntries(kept) } };
}

const LINK_TARGET = "x-leads-to";
const REF = "#/components/schemas/";

/** A schema as text, without its words and without where its links lead. */
function shapeOf(schema: Schema): string {
  return JSON.stringify(schema, (key, value) =>
    (key === "description" || key === LINK_TARGET) && typeof value === "string" ? undefined : value,
  );
}
