import type { Json } from "./document.ts";

/** A schema, and its place in the document. */
export interface SchemaAt {
  readonly schema: unknown;
  readonly pointer: string;
}

export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

const ALL_TYPES: readonly JsonType[] = ["array", "boolean", "null", "number", "object", "string"];

/** A normalized schema: equivalent schemas have the same form. */
export interface NormalSchema {
  /** The pointer to its keywords: that of the component if it is only a reference. */
  readonly pointer: string;
  readonly types: readonly JsonType[];
  /** The closed set of values, sorted; undefined if there is none. */
  readonly values: readonly unknown[] | undefined;
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  /** `minimum`, `maxLength` and the like. */
  readonly bounds: Readonly<Record<string, number>>;
  readonly properties: ReadonlyMap<string, SchemaAt>;
  readonly required: ReadonlySet<string>;
  /** The schema of additional properties; false if they are not allowed. */
  readonly others: SchemaAt | boolean;
  /** Whether `additionalProperties` allows them: the type then has an index signature. */
  readonly hasIndex: boolean;
  readonly items: SchemaAt | undefined;
  readonly variants: readonly SchemaAt[];
  /** The one variant of a union that is merged into this schema. */
  readonly only: SchemaAt | undefined;
  /** The property that distinguishes the variants. */
  readonly tag: string | undefined;
  /** Keywords that are compared without normalization, such as `not`. */
  readonly rest: Json;
  /** Known values, patterns and types of an open set. */
  readonly open: Json;
  /** Whether it has a default: openapi-typescript makes such a property required. */
  readonly hasDefault: boolean;
  /** The target of a link. */
  readonly leadsTo: unknown;
}

/** A schema that allows everything. */
export const EMPTY: NormalSchema = {
  pointer: "",
  types: ALL_TYPES,
  values: undefined,
  patterns: [],
  formats: [],
  bounds: {},
  properties: new Map(),
  required: new Set(),
  others: true,
  hasIndex: false,
  items: undefined,
  variants: [],
  only: undefined,
  tag: undefined,
  rest: {},
  open: {},
  hasDefault: false,
  leadsTo: undefined,
};

/** Returns the types that both lists allow. `number` includes `integer`. */
export function common(first: readonly JsonType[], second: readonly JsonType[]): JsonType[] {
  const allows = (types: readonly JsonType[], type: JsonType) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  return [...new Set([...first, ...second])].filter(
    (type) => allows(first, type) && allows(second, type),
  );
}

const STRING_BOUNDS = ["minLength", "maxLength"];
const ARRAY_BOUNDS = ["minItems", "maxItems"];
const OBJECT_BOUNDS = ["minProperties", "maxProperties"];

/** Removes keywords without effect, and sorts lists. */
export function normalize(normal: NormalSchema): NormalSchema {
  const { values, open } = normal;
  const types = new Set(normal.types);
  if (types.has("number")) types.delete("integer");
  const isInteger = types.has("integer");
  const { multipleOf } = normal.bounds;
  if (types.has("number") && multipleOf !== undefined && Number.isInteger(multipleOf)) {
    types.delete("number");
    types.add("integer");
  }
  const bounds: Record<string, number> = {};
  for (const [name, bound] of Object.entries(normal.bounds)) {
    const owner = STRING_BOUNDS.includes(name)
      ? types.has("string")
      : ARRAY_BOUNDS.includes(name)
        ? types.has("array")
        : OBJECT_BOUNDS.includes(name)
          ? types.has("object")
          : types.has("number") || types.has("integer");
    if (!owner || (bound === 0 && /^min(Length|Items|Properties)$/.test(name))) continue;
    if (name === "multipleOf" && bound === 1) continue;
    if (isInteger && name === "exclusiveMinimum") {
      bounds.minimum = Math.max(bounds.minimum ?? -Infinity, Math.floor(bound) + 1);
    } else if (isInteger && name === "exclusiveMaximum") {
      bounds.maximum = Math.min(bounds.maximum ?? Infinity, Math.ceil(bound) - 1);
    } else if (name === "minimum" && bounds.minimum !== undefined) {
      bounds.minimum = Math.max(bounds.minimum, bound);
    } else if (name === "maximum" && bounds.maximum !== undefined) {
      bounds.maximum = Math.min(bounds.maximum, bound);
    } else {
      bounds[name] = bound;
    }
  }
  const hasText = types.has("string") && !values;
  const hasNumber = types.has("number") || types.has("integer");
  return {
    ...normal,
    types: values ? [] : [...types].sort(),
    values: values && sorted(values.filter((value) => fits(value, types))),
    patterns: hasText ? [...new Set(normal.patterns)].sort() : [],
    formats: (hasText || hasNumber) && !values ? [...new Set(normal.formats)].sort() : [],
    bounds: values ? {} : bounds,
    open: Object.fromEntries(
      Object.entries(open).map(([name, value]) => [
        name,
        Array.isArray(value) ? sorted(value) : value,
      ]),
    ),
  };
}

function fits(value: unknown, types: ReadonlySet<JsonType>): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number") {
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  }
  return types.has(typeof value as JsonType);
}

function sorted(values: readonly unknown[]): unknown[] {
  const texts = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
