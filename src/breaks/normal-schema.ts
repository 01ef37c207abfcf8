import { isDeepStrictEqual } from "node:util";
import type { Contract } from "./contract.ts";
import { isJson, type Json, memberPointer, membersOf, referenced } from "./document.ts";
import { withoutNames } from "./message.ts";
import {
  common,
  EMPTY,
  type JsonType,
  type NormalSchema,
  normalize,
  type SchemaAt,
} from "./schema-form.ts";

const BOUNDS = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
];
const OPEN = ["x-extensible-enum", "x-extensible-pattern", "x-extensible-type"];
const READ = new Set([
  ...["$ref", "allOf", "anyOf", "oneOf", "discriminator", "type", "enum", "const", "pattern"],
  ...["format", "properties", "required", "additionalProperties", "items", "x-leads-to"],
  ...["title", "description", "example", "examples", "default", "deprecated", "readOnly"],
  ...["contentEncoding", "contentMediaType", "contentSchema", "writeOnly", "externalDocs"],
  ...["xml", "$comment", "$schema", "$id", "$defs"],
  ...BOUNDS,
]);

const known = new WeakMap<Contract, Map<unknown, NormalSchema>>();

/** Brings a schema into its normal form: references, `allOf` and nullable unions are resolved. */
export function normalOf(contract: Contract, at: SchemaAt): NormalSchema {
  const all = known.get(contract) ?? new Map<unknown, NormalSchema>();
  known.set(contract, all);
  const normal = all.get(at.schema) ?? resolved(contract, at);
  all.set(at.schema, normal);
  return normal;
}

function resolved(contract: Contract, at: SchemaAt): NormalSchema {
  const parts = partsOf(contract, at, []);
  // A reference with a description of its own is the component.
  const constraining = parts.filter(({ schema }) => !isAnnotationOnly(schema));
  const pointer = (constraining.length > 0 ? constraining : parts).at(-1)?.pointer ?? at.pointer;
  const normal = parts.reduce((merged, part) => merge(contract, merged, part), EMPTY);
  return normalize({ ...normal, pointer });
}

interface Part {
  readonly schema: Json;
  readonly pointer: string;
}

/** The schemas that apply together: the referenced ones first, the own keywords last. */
function partsOf(contract: Contract, at: SchemaAt, path: readonly unknown[]): Part[] {
  const { schema } = at;
  if (schema === false) return [{ schema: { not: {} }, pointer: at.pointer }];
  if (!isJson(schema) || path.includes(schema)) return [];
  const pointer = contract.pointers.get(schema) ?? at.pointer;
  const inside = [...path, schema];
  const target = referenced(contract.document, schema.$ref);
  const allOf = Array.isArray(schema.allOf) ? schema.allOf : [];
  return [
    ...(target ? partsOf(contract, { schema: target.value, pointer: target.pointer }, inside) : []),
    ...allOf.flatMap((one, index) =>
      partsOf(
        contract,
        { schema: one, pointer: memberPointer(pointer, "allOf", String(index)) },
        inside,
      ),
    ),
    { schema, pointer },
  ];
}

function isAnnotationOnly(schema: Json): boolean {
  const words = ["$ref", "allOf", "title", "description", "example", "examples", "deprecated"];
  return Object.keys(schema).every(
    (name) => words.includes(name) || (name.startsWith("x-") && !OPEN.includes(name)),
  );
}

function merge(contract: Contract, base: NormalSchema, { schema, pointer }: Part): NormalSchema {
  const { type, pattern, format, required, discriminator } = schema;
  const properties = new Map(base.properties);
  for (const [name, value] of membersOf(schema.properties)) {
    const own = { schema: value, pointer: memberPointer(pointer, "properties", name) };
    const known = properties.get(name);
    properties.set(name, known ? both(known, own) : own);
  }
  const bounds = { ...base.bounds };
  for (const name of BOUNDS) {
    const bound = schema[name];
    if (typeof bound !== "number") continue;
    const known = bounds[name];
    const strictest = /^(min|exclusiveMin)/.test(name) ? Math.max : Math.min;
    bounds[name] = known === undefined ? bound : strictest(known, bound);
  }
  const rest = Object.entries(schema).filter(
    ([name, value]) => !READ.has(name) && !name.startsWith("x-") && value !== DEFAULTS[name],
  );
  const types = type === undefined ? base.types : common(base.types, [type].flat() as JsonType[]);
  const values = valuesOf(schema);
  const merged: NormalSchema = {
    ...base,
    types,
    values: values && (base.values ? base.values.filter((one) => isIn(values, one)) : values),
    patterns: typeof pattern === "string" ? [...base.patterns, pattern] : base.patterns,
    // AJV ignores a custom format, but checks a pattern beside it.
    formats: [...base.formats, ...[format, schema["x-format"]].filter(isText)],
    bounds,
    properties,
    required: new Set([...base.required, ...(Array.isArray(required) ? required : [])]),
    others: othersOf(base, schema, pointer),
    hasIndex:
      base.hasIndex || isJson(schema.additionalProperties) || schema.additionalProperties === true,
    items:
      isJson(schema.items) || schema.items === false
        ? { schema: schema.items, pointer: memberPointer(pointer, "items") }
        : base.items,
    rest: { ...base.rest, ...(withTargets(contract, Object.fromEntries(rest)) as Json) },
    hasDefault: base.hasDefault || schema.default !== undefined,
    open: {
      ...base.open,
      ...Object.fromEntries(Object.entries(schema).filter(([name]) => OPEN.includes(name))),
    },
    leadsTo: linkTarget(schema["x-leads-to"]) ?? base.leadsTo,
    tag:
      isJson(discriminator) && typeof discriminator.propertyName === "string"
        ? discriminator.propertyName
        : base.tag,
  };
  const kept: NormalSchema = values ? merged : { ...merged, values: base.values };
  return ["anyOf", "oneOf"].reduce(
    (normal, name) =>
      withVariants(contract, normal, name, schema[name], memberPointer(pointer, name)),
    kept,
  );
}

/** The path of a link's target, without the names of its parameters. */
function linkTarget(path: unknown): unknown {
  return typeof path === "string" ? withoutNames(path) : path;
}

const MAX_TARGET_DEPTH = 4;

/** A value with its references replaced by their targets, without descriptions. */
function withTargets(contract: Contract, value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((one) => withTargets(contract, one, depth));
  if (!isJson(value) || depth > MAX_TARGET_DEPTH) return value;
  const target = referenced(contract.document, value.$ref);
  const all = { ...(target ? target.value : {}), ...value, $ref: undefined };
  const kept = Object.entries(all).filter(
    ([name, one]) => one !== undefined && name !== "description" && name !== "title",
  );
  const next = depth + (target ? 1 : 0);
  return Object.fromEntries(kept.map(([name, one]) => [name, withTargets(contract, one, next)]));
}

const DEFAULTS: Json = { uniqueItems: false };

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function othersOf(base: NormalSchema, schema: Json, pointer: string): SchemaAt | boolean {
  const own = schema.additionalProperties ?? schema.unevaluatedProperties;
  if (own === false || base.others === false) return false;
  if (!isJson(own) || Object.keys(own).length === 0) return base.others;
  return { schema: own, pointer: memberPointer(pointer, "additionalProperties") };
}

/** Both schemas at once, at the place of the second. */
function both(first: SchemaAt, second: SchemaAt): SchemaAt {
  if (isDeepStrictEqual(first.schema, second.schema)) return second;
  return { schema: { allOf: [first.schema, second.schema] }, pointer: second.pointer };
}

/** `anyOf` or `oneOf`: null becomes a type, literals a set of values, a single one is merged. */
function withVariants(
  contract: Contract,
  base: NormalSchema,
  combination: string,
  variants: unknown,
  pointer: string,
): NormalSchema {
  if (!Array.isArray(variants)) return base;
  const all = variants.map((schema, index) => {
    const at = { schema, pointer: memberPointer(pointer, String(index)) };
    return { at, normal: normalOf(contract, at) };
  });
  const others = all.filter(({ normal }) => !isNull(normal));
  const isNullable = others.length < all.length && base.types.includes("null");
  const nulls: JsonType[] = isNullable ? ["null"] : [];
  if (others.every(({ normal }) => normal.values)) {
    const values = others.flatMap(({ normal }) => normal.values ?? []);
    return { ...base, values: [...values, ...(isNullable ? [null] : [])] };
  }
  const [only] = others;
  if (others.length === 1 && only) {
    const { normal } = only;
    const types = [...common(base.types, normal.types), ...nulls];
    const values = normal.values && [...normal.values, ...nulls.map(() => null)];
    const one = { ...combine(base, normal), only: only.at };
    return { ...one, types: [...new Set(types)], values: values ?? base.values };
  }
  const types = new Set(others.flatMap(({ normal }) => common(base.types, normal.types)));
  return {
    ...base,
    rest: { ...base.rest, ...(combination === "oneOf" && !isTagged(contract, others) && ONE_OF) },
    types: [...types, ...nulls.filter((one) => !types.has(one))],
    variants: [...base.variants, ...others.map(({ at }) => at)],
  };
}

const ONE_OF: Json = { oneOf: true };

/** Whether a required property distinguishes the variants, so that they exclude each other. */
function isTagged(
  contract: Contract,
  variants: readonly { readonly normal: NormalSchema }[],
): boolean {
  const [first] = variants;
  return [...(first?.normal.properties.keys() ?? [])].some((name) => {
    const tags = variants.map(({ normal }) => {
      const at = normal.required.has(name) ? normal.properties.get(name) : undefined;
      return at && normalOf(contract, at).values;
    });
    const values = tags.flatMap((one) => (one?.length === 1 ? one : []));
    return new Set(values.map((value) => JSON.stringify(value))).size === variants.length;
  });
}

function combine(base: NormalSchema, normal: NormalSchema): NormalSchema {
  const properties = new Map(base.properties);
  for (const [name, at] of normal.properties) {
    const known = properties.get(name);
    properties.set(name, known ? both(known, at) : at);
  }
  return {
    ...base,
    ...normal,
    pointer: base.pointer,
    hasIndex: base.hasIndex || normal.hasIndex,
    hasDefault: base.hasDefault || normal.hasDefault,
    properties,
    required: new Set([...base.required, ...normal.required]),
    patterns: [...base.patterns, ...normal.patterns],
    formats: [...base.formats, ...normal.formats],
    bounds: { ...base.bounds, ...normal.bounds },
    rest: { ...base.rest, ...normal.rest },
    open: { ...base.open, ...normal.open },
  };
}

function isNull({ types, values }: NormalSchema): boolean {
  if (values) return values.length > 0 && values.every((value) => value === null);
  return types.length === 1 && types[0] === "null";
}

function valuesOf(schema: Json): readonly unknown[] | undefined {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

function isIn(values: readonly unknown[], wanted: unknown): boolean {
  return values.some((value) => isDeepStrictEqual(value, wanted));
}
