import { type SchemaNode, schemaNode } from "../../generated/schema-index.ts";
import { memberOf } from "../../src/contract/pointer.ts";

/** Calls `visit` with every schema node for which a payload has a value. */
export function visitSchema(
  root: string,
  payload: unknown,
  visit: (place: SchemaNode, value: unknown) => void,
): void {
  const walk = (own: SchemaNode, value: unknown) => {
    for (let at: SchemaNode | undefined = own; at; at = next(at, value)) {
      visit(at, value);
      if (typeof value !== "object" || value === null) continue;
      if (at.items && Array.isArray(value)) {
        const item = placeOf(at.items);
        for (const one of value) walk(item, one);
      }
      for (const [name, place] of Object.entries(at.properties ?? {})) {
        const member = memberOf(value, name);
        if (member !== undefined) walk(placeOf(place), member);
      }
    }
  };
  walk({ ref: root }, payload);
}

/** The schema node that a node refers to. For a union, the variant that matches the value. */
function next({ ref, variants }: SchemaNode, value: unknown): SchemaNode | undefined {
  if (ref !== undefined) return schemaNode(ref);
  const tag = variants && memberOf(value, variants.property);
  const variant = typeof tag === "string" ? variants?.of[tag] : undefined;
  return variant === undefined ? undefined : schemaNode(variant);
}

function placeOf(place: SchemaNode | string): SchemaNode {
  return typeof place === "string" ? { ref: place } : place;
}
