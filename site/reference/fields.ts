import { escapeHtml, link, table } from "../page.ts";
import { nameOf, nullable, resolve, type Schema } from "./contract.ts";
import type { Places } from "./places.ts";
import { requirementLinks, withRequirementLinks } from "./requirement-links.ts";

/** Nested objects are listed to this depth; deeper ones are named by their type. */
const MAX_DEPTH = 4;

/** A field of a body: its path from the top, such as `acceptor.city`. */
interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** The variants of a union that have it; undefined if all have it. */
  readonly only?: readonly string[];
}

/**
 * Renders the fields of a body as a table, and registers the place of each field that a
 * requirement names.
 *
 * @param page The path of the page that shows the table.
 * @param itemPage The path of the page that describes the items of a list; empty if it is no list.
 */
export function fieldTable(page: string, body: Schema, places: Places, itemPage = ""): string {
  const rows = [...fieldsOf(body, itemPage)].map(({ path, schema, isRequired, only }) => {
    const anchor = path.replaceAll(/[[\]]/g, "");
    const ids = requirementsOf(schema);
    for (const id of ids) places.add(id, { page, anchor, label: path });
    const optional = isRequired ? "" : " (optional)";
    const variants = only ? ` Only in ${only.map((name) => `\`${name}\``).join(", ")}.` : "";
    const leads = schema["x-leads-to"] ? ` Leads to \`GET ${schema["x-leads-to"]}\`.` : "";
    const text = `${schema.description ?? ""}${variants}${leads}`;
    const named = ids.length > 0 ? ` (${requirementLinks(ids)})` : "";
    return [
      `<span id="${anchor}">\`${path}\`</span>`,
      `${typeOf(schema, itemPage, path)}${optional}`,
      `${withRequirementLinks(escapeHtml(text))}${named}`,
    ];
  });
  return table(["Field", "Type", "Meaning"], rows);
}

function requirementsOf(schema: Schema): readonly string[] {
  return schema["x-requirements"] ?? [];
}

function* fieldsOf(body: Schema, itemPage: string, above = "", depth = 0): Generator<Field> {
  const { properties = {}, required = [], oneOf } = resolve(body);
  if (oneOf) {
    yield* fieldsOfUnion(oneOf, itemPage, above, depth);
    return;
  }
  for (const [name, property] of Object.entries(properties)) {
    const schema = resolve(property);
    const path = `${above}${name}${isList(schema) ? "[]" : ""}`;
    yield { path, schema, isRequired: required.includes(name) };
    const inner = isList(schema) ? resolve(schema.items ?? {}) : (nullable(schema) ?? schema);
    const isItem = itemPage !== "" && path.startsWith("_embedded.") && isList(schema);
    if (depth + 1 < MAX_DEPTH && !isLink(property) && !isLink(schema.items ?? {}) && !isItem) {
      yield* fieldsOf(inner, itemPage, `${path}.`, depth + 1);
    }
  }
}

/** Fields of a union: those of all variants, and the variants that have the others. */
function* fieldsOfUnion(
  variants: readonly Schema[],
  itemPage: string,
  above: string,
  depth: number,
): Generator<Field> {
  const all = new Map<string, Field & { readonly variants: string[] }>();
  for (const variant of variants) {
    for (const field of fieldsOf(variant, itemPage, above, depth)) {
      const known = all.get(field.path);
      if (known) known.variants.push(nameOf(variant) ?? "");
      else all.set(field.path, { ...field, variants: [nameOf(variant) ?? ""] });
    }
  }
  for (const { variants: names, ...field } of all.values()) {
    yield names.length < variants.length ? { ...field, only: names } : field;
  }
}

function isList({ type }: Schema): boolean {
  return type === "array" || (Array.isArray(type) && type.includes("array"));
}

function isLink(schema: Schema): boolean {
  return nameOf(schema) === "Link";
}

/** The type of a value in words: `string (uuid) or null`, `list of links`. */
export function typeOf(schema: Schema, itemPage = "", path = ""): string {
  const { items, format } = schema;
  const value = nullable(schema);
  if (value) return `${typeOf(value)} or null`;
  if (items) {
    const isItem = itemPage !== "" && path.startsWith("_embedded.");
    const name = nameOf(items);
    if (isItem && name) return `list of ${link(name, itemPage)}`;
    if (name === "Link") return "list of links";
    return `list of ${typeOf(resolve(items))}`;
  }
  if (schema.properties && "href" in schema.properties) return "link";
  const known = schema["x-extensible-enum"];
  if (known) return `string: ${known.map(quoted).join(", ")} or another${orNull(schema)}`;
  if (schema.enum) return `${schema.enum.map(quoted).join(" or ")}${orNull(schema)}`;
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  const name = types.length === 0 ? "any" : types.join(" or ");
  return `${name}${format ? ` (${format})` : ""}${orNull(schema)}`;
}

function orNull({ type }: Schema): string {
  return Array.isArray(type) && type.includes("null") ? " or null" : "";
}

function quoted(value: unknown): string {
  return `\`${value}\``;
}
