import { examples } from "../examples.ts";
import type { MeasuredEvent, Schema } from "./libraries/library.ts";

/** A payload and whether the schema takes it. */
export interface Variant {
  /** What is special about it, with no place: what a contestant that gets it wrong misses. */
  readonly description: string;
  /** Where the difference is, as a JSON pointer; empty where it is all over. */
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

/** What is no text of a format, by what it shows. */
const WRONG_TEXTS: Record<string, Record<string, string>> = {
  uuid: {
    "an id that is no UUID": "abc",
    "an id with a letter past f": "9dac66a4-4dff-4bf9-b914-b69ca430c1bg",
    "an id with something behind it": "9dac66a4-4dff-4bf9-b914-b69ca430c1bb0",
  },
  date: {
    "a day that does not exist": "2025-02-30",
    "29 February of no leap year": "2100-02-29",
    "a month that does not exist": "2025-13-01",
    "a date with a time": "2025-03-04T00:00:00.000Z",
  },
  "date-time": {
    "a timestamp of a day that does not exist": "2025-02-30T10:00:00.000Z",
    "a timestamp at hour 24": "2025-02-03T24:00:00.000Z",
    "a timestamp in a leap second": "2025-06-30T23:59:60.000Z",
    "a timestamp with no milliseconds": "2025-02-03T10:00:00Z",
    "a timestamp with microseconds": "2025-02-03T10:00:00.000000Z",
    "a timestamp with an offset": "2025-02-03T10:00:00.000+00:00",
  },
  "date-time-local": {
    "a dateTime of a day that does not exist": "2025-04-31T10:00:00",
    "a dateTime at minute 60": "2025-04-30T10:60:00",
    "a dateTime with a zone": "2025-04-30T10:00:00Z",
    "a dateTime with no seconds": "2025-04-30T10:00",
  },
};

/** Tried against a pattern: those that it does not take are faults. */
const TEXTS = [
  "",
  "network_a",
  "12a4",
  "//elsewhere.example/cards/1",
  "cards/1",
  "https://a.example",
];

/** The type of a value, as JSON Schema names it. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: string;
}

/** Walks a payload beside its schema; of an array it takes the last item, the deepest in. */
function* placesOf(schema: Schema, value: unknown, path: string): Generator<Place> {
  const shape = schema.anyOf ? chosen(schema.anyOf, value) : schema;
  yield { schema: shape, value, path };
  if (Array.isArray(value) && value.length > 0 && shape.items) {
    yield* placesOf(shape.items, value.at(-1), `${path}/${value.length - 1}`);
  }
  if (typeOf(value) !== "object") return;
  for (const [name, property] of Object.entries(shape.properties ?? {})) {
    const own = (value as Record<string, unknown>)[name];
    if (own !== undefined) yield* placesOf(property, own, `${path}/${name}`);
  }
}

/** The alternative that a value took, with the types that any of them would have taken. */
function chosen(alternatives: readonly Schema[], value: unknown): Schema {
  const own = alternatives.find(({ type }) => type === typeOf(value));
  return { ...own, type: alternatives.flatMap(({ type }) => type ?? []) };
}

/** What a place does not take, by what it shows. */
function* faultsOf({ type, format, pattern, enum: values, exclusiveMinimum }: Schema) {
  const types = [type ?? []].flat();
  if (types.length > 0) {
    for (const [other, value] of VALUES) {
      if (!types.includes(other)) yield [`${other} for ${types.join(" or ")}`, value] as const;
    }
  }
  if (format) yield* Object.entries(WRONG_TEXTS[format] ?? {});
  if (pattern) {
    const wrong = TEXTS.filter((text) => !new RegExp(pattern).test(text));
    for (const text of wrong) yield [`a text that breaks ${pattern}`, text] as const;
  }
  if (values) yield ["a value outside a closed set", "OTHER"] as const;
  if (exclusiveMinimum !== undefined) yield ["a number at its limit", exclusiveMinimum] as const;
}

/** Breaks each place of a payload in each way that its schema knows. */
export function* invalidVariants(schema: Schema, body: unknown): Generator<Variant> {
  for (const { schema: shape, path } of placesOf(schema, body, "")) {
    for (const [what, value] of faultsOf(shape)) {
      yield { description: what, path, isValid: false, body: replaceAt(body, path, value) };
    }
    for (const name of shape.required ?? []) {
      const place = `${path}/${name}`;
      const without = replaceAt(body, place, undefined);
      yield {
        description: "a required field left out",
        path: place,
        isValid: false,
        body: without,
      };
    }
  }
}

/** Varies a payload in ways that neither schema nor rules mind. */
export function* validVariants(event: MeasuredEvent, schema: Schema, body: unknown) {
  const sound = (what: string, path: string, varied: unknown): Variant => {
    return { description: what, path, isValid: true, body: varied };
  };
  for (const [name, other] of examples(event)) yield sound(`the example ${name}`, "", other);
  for (const { value, path } of placesOf(schema, body, "")) {
    if (typeOf(value) !== "object") continue;
    const extended = replaceAt(body, `${path}/addedLater`, { any: ["thing"] });
    yield sound("a field that the schema does not know", path, extended);
  }
  const text = JSON.stringify(body);
  yield sound("ids in upper case", "", JSON.parse(text.replace(IDS, (id) => id.toUpperCase())));
  const leapDays = text.replace(/\d{4}-\d{2}-\d{2}(?=["T])/g, "2024-02-29");
  yield sound("29 February of a leap year", "", JSON.parse(leapDays));
  const fractions = text.replace(/("dateTime":"[^"]*)"/g, '$1.123456"');
  yield sound("a dateTime with a fraction", "", JSON.parse(fractions));
  const metadata = { resourceId: "any text", more: 1 };
  yield sound("metadata", "/metadata", replaceAt(body, "/metadata", metadata));
}

const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Copies a body with another value at a place; undefined leaves it out. */
export function replaceAt(body: unknown, path: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify({ body }));
  const names = ["body", ...path.split("/").slice(1)];
  const last = names.pop() as string;
  const parent = names.reduce((at, name) => at[name], copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy.body;
}
