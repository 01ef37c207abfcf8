import type { VerbDescription } from "../sandbox/control/client.ts";
import { usageError } from "./command.ts";

/** What of a JSON Schema tells how a word is read. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly exclusiveMinimum?: number;
  readonly items?: Schema;
}

/** What the types of JSON Schema are called. */
const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  boolean: "true or false",
  array: "list, as JSON",
};

type Members = { [name: string]: unknown };

/**
 * Reads words such as `amount=12.5` or `merchant.mcc=5411`: a text where the verb takes a text
 * there, JSON otherwise. Whether it fits is for the sandbox to say. Throws a TxfeedError `usage`.
 */
export function paramsIn(verb: VerbDescription, words: readonly string[]): Members {
  const params: Members = {};
  for (const word of words) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    const path = name.split(".");
    if (path.includes("") || path.includes("__proto__")) {
      throw usageError({ name: "trigger" }, `members are given as NAME=VALUE, not '${word}'`);
    }
    put(params, path, read(value, typesAt(verb.params, path)), word);
  }
  return params;
}

/** What a verb takes: each member by the name that a word gives it, and what it may be. */
export function membersOf(
  { properties = {}, required = [] }: Schema,
  within = "",
): { readonly name: string; readonly takes: string }[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (schema.properties) return membersOf(schema, `${within}${name}.`);
    const takes = required.includes(name) ? `${takenBy(schema)}, needed` : takenBy(schema);
    return [{ name: within + name, takes }];
  });
}

function takenBy(schema: Schema): string {
  const { enum: words, pattern, exclusiveMinimum: above } = schema;
  if (words) return words.join(" or ");
  const inner = schema.items?.properties;
  if (inner) return `list of {${Object.keys(inner).join(", ")}}, as JSON`;
  const kinds = typesOf(schema).map((type) => KINDS[type] ?? type);
  const bounds = [pattern && `as ${pattern}`, above !== undefined && `above ${above}`];
  return [kinds.join(" or "), ...bounds].filter(Boolean).join(" ");
}

function put(members: Members, [name = "", ...rest]: string[], value: unknown, word: string): void {
  const isThere = Object.hasOwn(members, name);
  const inner = isThere ? members[name] : {};
  if (rest.length === 0 ? isThere : Object(inner) !== inner) {
    throw usageError({ name: "trigger" }, `'${word}' is there already`);
  }
  members[name] = rest.length === 0 ? value : inner;
  if (rest.length > 0) put(inner as Members, rest, value, word);
}

/** The types of what stands at a path; none where the verb takes nothing there. */
function typesAt(schema: Schema, path: readonly string[]): string[] {
  let at: Schema | undefined = schema;
  for (const name of path) at = at?.properties?.[name];
  return typesOf(at ?? {});
}

function typesOf(schema: Schema): string[] {
  return [schema, ...(schema.anyOf ?? [])].flatMap(({ type = [] }) => type);
}

function read(value: string, types: readonly string[]): unknown {
  if (types.includes("string")) return value === "null" && types.includes("null") ? null : value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
