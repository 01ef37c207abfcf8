import type { ShapeError } from "../../generated/validators.js";
import { DEFAULT_NETWORKS, type Networks } from "./networks.ts";

const FORMATS: Record<string, string> = {
  uuid: "a UUID-shaped identifier",
  "date-time": "an existing UTC timestamp with milliseconds, like 2025-03-04T12:30:16.120Z",
  date: "an existing day, like 2025-03-04",
  "date-time-local": "an existing local date-time without zone, like 2025-03-04T12:30:15",
  uri: "an absolute URL",
};

const SECRET = /token|secret|password|passwd|credential|authorization|cookie|api_?key/i;
const MAX_VALUE_LENGTH = 60;
/** The characters that JSON may escape, and all outside ASCII. */
const ESCAPED = /[^ !#-[\]-~]/;

/** The contract's placeholders for the configured codes. */
const PLACEHOLDERS = new Map<unknown, string>(
  Object.entries(DEFAULT_NETWORKS).map(([name, code]) => [code, name]),
);

/** Describes the expectation of an error's keyword. */
export function describeExpectation(
  { keyword, params }: ShapeError,
  networks: Networks = DEFAULT_NETWORKS,
): string {
  switch (keyword) {
    case "required":
      return "a value";
    case "type":
      return joinTypes(params.type);
    case "format":
      return FORMATS[String(params.format)] ?? `format ${params.format}`;
    case "pattern":
      return `a string like /${params.pattern}/`;
    case "enum":
      return oneOf(params.allowedValues);
    case "variants":
      return oneOf(params.values);
    case "open":
      return `one of the known values (${describeKnownValues(params, networks)})`;
    case "openType":
      return `${joinTypes(params.types)}, as shown`;
    case "exclusiveMinimum":
      return `a number above ${params.limit}`;
    case "minimum":
      return `a number of at least ${params.limit}`;
    default:
      return `${keyword} ${JSON.stringify(params)}`;
  }
}

/** Lists the known values of an open set, or describes their form. */
function describeKnownValues({ shown, form }: ShapeError["params"], networks: Networks): string {
  if (!Array.isArray(shown)) return `like /${form}/`;
  return shown
    .map((value) => networks[PLACEHOLDERS.get(value) as keyof Networks] ?? value)
    .join(", ");
}

/**
 * Describes a value for a finding: its type and the start of the value. Hides the value if its path
 * suggests a secret.
 */
export function describeValue(value: unknown, path = ""): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "object") return `object with ${Object.keys(value).length} members`;
  if (SECRET.test(path)) return `${typeof value} (hidden)`;
  if (typeof value !== "string") return `${typeof value} ${inOneLine(String(value))}`;
  if (value.length <= MAX_VALUE_LENGTH && !ESCAPED.test(value)) return `string "${value}"`;
  const start = JSON.stringify(truncate(value, MAX_VALUE_LENGTH));
  return `string ${inOneLine(value.length > MAX_VALUE_LENGTH ? start.slice(0, -1) : start)}`;
}

function joinTypes(types: unknown): string {
  return Array.isArray(types) ? types.join(" or ") : String(types);
}

function oneOf(values: unknown): string {
  const texts = Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : [];
  return texts.length === 1 ? String(texts[0]) : `one of ${texts.join(", ")}`;
}

/** The longest list of values in the contract has 250 characters. */
const MAX_CHARACTERS = 300;
/** Control characters, marks that reorder or hide text, lone surrogates and line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Turns any text into one short line that is safe to print on a terminal. */
export function inOneLine(text: string): string {
  if (text.length <= MAX_CHARACTERS && isAscii(text)) return text;
  const start = truncate(text, MAX_CHARACTERS);
  return truncate(start.replace(UNPRINTABLE, escapeCharacter), MAX_CHARACTERS);
}

/** Whether all characters are printable ASCII. Faster than a regular expression here. */
function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 32 || code > 126) return false;
  }
  return true;
}

function escapeCharacter(mark: string): string {
  const code = (mark.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}

/** Truncates a text with an ellipsis, without splitting a surrogate pair. */
function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  const isSplit = text.codePointAt(most - 1) !== text.charCodeAt(most - 1);
  return `${text.slice(0, isSplit ? most - 1 : most)}…`;
}
