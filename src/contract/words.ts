import type { Place } from "../../generated/places.ts";
import type { ShapeError } from "../../generated/validators.js";

const FORMATS: Record<string, string> = {
  uuid: "an identifier in the shape of a UUID",
  "date-time": "an existing UTC timestamp with milliseconds, like 2025-03-04T12:30:16.120Z",
  date: "an existing day, like 2025-03-04",
  "date-time-local": "an existing local date-time without zone, like 2025-03-04T12:30:15",
  uri: "an absolute address",
};

const SECRET = /token|secret|password|authorization/i;
const LONGEST_VALUE = 60;

/**
 * What an error's keyword asks for, in words. `trail` leads to the object or value that it stands
 * at.
 */
export function wordsFor({ keyword, params }: ShapeError, trail: readonly Place[]): string {
  switch (keyword) {
    case "required":
      return "a value";
    case "type":
      return list(params.type);
    case "anyOf":
      return "object or null";
    case "format":
      return FORMATS[String(params.format)] ?? `format ${params.format}`;
    case "pattern":
      return `a string like /${params.pattern}/`;
    case "enum":
      return oneOf(params.allowedValues);
    case "discriminator":
      return oneOf(Object.keys(trail.findLast((place) => place.variants)?.variants?.of ?? {}));
    case "exclusiveMinimum":
      return `a number above ${params.limit}`;
    case "minimum":
      return `a number of at least ${params.limit}`;
    default:
      return `${keyword} ${JSON.stringify(params)}`;
  }
}

/**
 * A value as a finding shows it: its type and the value cut short, hidden where it could be a
 * secret.
 */
export function describe(value: unknown, member = ""): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "object") return `object with ${Object.keys(value).length} members`;
  if (typeof value === "string" && SECRET.test(member)) return "string (hidden)";
  const text = JSON.stringify(value);
  const shown = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
  return `${typeof value} ${shown}`;
}

function list(types: unknown): string {
  return Array.isArray(types) ? types.join(" or ") : String(types);
}

function oneOf(values: unknown): string {
  const texts = Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : [];
  return texts.length === 1 ? String(texts[0]) : `one of ${texts.join(", ")}`;
}
