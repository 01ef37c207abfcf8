import { make, variants } from "../../src/fixtures/index.ts";
import type { MeasuredEvent, Schema } from "./libraries/library.ts";

/** A payload, and whether the schema accepts it. */
export interface Variant {
  /** Describes the difference, without its location. */
  readonly description: string;
  /** JSON pointer of the difference; empty if there are several. */
  readonly path: string;
  readonly isValid: boolean;
  readonly body: unknown;
}

const VALUES: readonly [type: string, value: unknown][] = [
  ["null", null],
  ["boolean", true],
  ["number", 7],
  ["string", "text"],
  ["array", []],
  ["object", {}],
];

/** Invalid texts of each format, by description. */
const WRONG_TEXTS: Record<string, Record<string, string>> = {
  uuid: {
    "an id that is not a UUID": "abc",
    "an id with a letter after f": "9dac66a4-4dff-4bf9-b914-b69ca430c1bg",
    "an id with an extra character": "9dac66a4-4dff-4bf9-b914-b69ca430c1bb0",
  },
  date: {
    "a day that does not exist": "2025-02-30",
    "29 February of a year that is not a leap year": "2100-02-29",
    "a month that does not exist": "2025-13-01",
    "a date with a time": "2025-03-04T00:00:00.000Z",
  },
  "date-time": {
    "a timestamp on a day that does not exist": "2025-02-30T10:00:00.000Z",
    "a timestamp at hour 24": "2025-02-03T24:00:00.000Z",
    "a timestamp in a leap second": "2025-06-30T23:59:60.000Z",
    "a timestamp without milliseconds": "2025-02-03T10:00:00Z",
    "a timestamp with microseconds": "2025-02-03T10:00:00.000000Z",
    "a timestamp with an offset": "2025-02-03T10:00:00.000+00:00",
  },
  "date-time-local": {
    "a dateTime on a day that does not exist": "2025-04-31T10:00:00",
    "a dateTime at minute 60": "2025-04-30T10:60:00",
    "a dateTime with a zone": "2025-04-30T10:00:00Z",
    "a dateTime without seconds": "2025-04-30T10:00",
  },
};

/** Candidate invalid values for a pattern: those that do not match it. */
const TEXTS = [
  "",
  "network_a",
  "12a4",
  "//elsewhere.example/cards/1",
  "cards/1",
  "https://a.example",
];

/** Returns the JSON Schema type of a value. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

interface SchemaNode {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: string;
}

/** Yields each value of a payload with its schema. For an array, only the last item. */
function* nodesOf(schema: Schema, value: unknown, path: string): Generator<SchemaNode> {
  const shape = schema.anyOf ? alternativeFor(schema.anyOf, value) : schema;
  yield { schema: shape, value, path };
  if (Array.isArray(value) && value.length > 0 && shape.items) {
    yield* nodesOf(shape.items, value.at(-1), `${path}/${value.length - 1}`);
  }
  if (typeOf(value) !== "object") return;
  for (const [name, property] of Object.entries(shape.properties ?? {})) {
    const own = (value as Record<string, unknown>)[name];
    if (own !== undefined) yield* nodesOf(property, own, `${path}/${name}`);
  }
}

/** Returns the alternative that matches a value, with the types of all alternatives. */
function alternativeFor(alternatives: readonly Schema[], value: unknown): Schema {
  const own = alternatives.find(({ type }) => type === typeOf(value));
  return { ...own, type: alternatives.flatMap(({ type }) => type ?? []) };
}

/** Yields values that a schema rejects, each with a description. */
function* invalidValuesOf({ type, format, pattern, enum: values, exclusiveMinimum }: Schema) {
  const types = [type ?? []].flat();
  if (types.length > 0) {
    for (const [other, value] of VALUES) {
      if (!types.includes(other)) yield [`${other} for ${types.join(" or ")}`, value] as const;
    }
  }
  if (format) yield* Object.entries(WRONG_TEXTS[format] ?? {});
  if (pattern) {
    const wrong = TEXTS.filter((text) => !new RegExp(pattern).test(text));
    for (const text of wrong) yield [`a text that does not match ${pattern}`, text] as const;
  }
  if (values) yield ["a value outside a closed set", "OTHER"] as const;
  if (exclusiveMinimum !== undefined) yield ["a number at its limit", exclusiveMinimum] as const;
}

/** Yields copies of a payload, each with one invalid or missing value. */
export function* invalidVariants(schema: Schema, body: unknown): Generator<Variant> {
  for (const { schema: shape, path } of nodesOf(schema, body, "")) {
    for (const [what, value] of invalidValuesOf(shape)) {
      yield { description: what, path, isValid: false, body: replaceAt(body, path, value) };
    }
    for (const name of shape.required ?? []) {
      const field = `${path}/${name}`;
      const without = replaceAt(body, field, undefined);
      yield {
        description: "a missing required field",
        path: field,
        isValid: false,
        body: without,
      };
    }
  }
}

/** Yields variants of a payload that both schema and rules accept. */
export function* validVariants(event: MeasuredEvent, schema: Schema, body: unknown) {
  const valid = (what: string, path: string, varied: unknown): Variant => {
    return { description: what, path, isValid: true, body: varied };
  };
  for (const variant of variants[event]) {
    for (const seed of [1, 2]) {
      yield valid(`the variant ${variant} of seed ${seed}`, "", make(event, {}, { variant, seed }));
    }
  }
  for (const { value, path } of nodesOf(schema, body, "")) {
    if (typeOf(value) !== "object") continue;
    const extended = replaceAt(body, `${path}/addedLater`, { any: ["thing"] });
    yield valid("an unknown field", path, extended);
  }
  const text = JSON.stringify(body);
  yield valid("ids in upper case", "", JSON.parse(text.replace(IDS, (id) => id.toUpperCase())));
  const leapDays = text.replace(/\d{4}-\d{2}-\d{2}(?=["T])/g, "2024-02-29");
  yield valid("29 February of a leap year", "", JSON.parse(leapDays));
  const fractions = text.replace(/("dateTime":"[^"]*)"/g, '$1.123456"');
  yield valid("a dateTime with a fraction", "", JSON.parse(fractions));
  const metadata = { resourceId: "any text", more: 1 };
  yield valid("metadata", "/metadata", replaceAt(body, "/metadata", metadata));
}

const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Copies a body and replaces the value at a JSON pointer; undefined removes it. */
export function replaceAt(body: unknown, path: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify({ body }));
  const names = ["body", ...path.split("/").slice(1)];
  const last = names.pop() as string;
  const parent = names.reduce((at, name) => at[name], copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy.body;
}
