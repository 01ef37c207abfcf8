import { segmentsOf, valueAt } from "../contract/pointer.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI 3.1 document, parsed. */
export type Document = Json;

/** A part of a document, and the JSON pointer to it. */
export interface Located {
  readonly value: Json;
  readonly pointer: string;
}

/** Whether a value is a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none for anything else. */
export function membersOf(value: unknown): [string, unknown][] {
  return isJson(value) ? Object.entries(value) : [];
}

/** A JSON pointer to a member. */
export function memberPointer(pointer: string, ...names: readonly string[]): string {
  const parts = names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return pointer + parts.join("");
}

/** The target of a local `$ref`, with its pointer; undefined if the target is not an object. */
export function referenced(document: Document, ref: unknown): Located | undefined {
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined;
  const pointer = decoded(ref.slice(1));
  const value = valueAt(document, segmentsOf(pointer));
  return isJson(value) ? { value, pointer } : undefined;
}

/** A fragment of a URI without its escapes. */
export function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** A part of a document, or the target if the part is a reference. */
export function locate(document: Document, value: unknown, pointer: string): Located {
  const own = isJson(value) ? value : {};
  const target = referenced(document, own.$ref);
  return target ?? { value: own, pointer };
}
