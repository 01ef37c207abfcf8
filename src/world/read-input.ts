import { type InputSchema, inputSchemas } from "../../generated/control-operations.ts";
import type { ControlInputs } from "../../generated/control-types.ts";
import { type InputError, validators } from "../../generated/control-validators.js";
import { segmentsOf } from "../contract/pointer.ts";
import { badRequest } from "./refusal.ts";

/**
 * Checks a body, query, or the parameters of a verb against its schema in `spec/sandbox/`.
 *
 * @param name the name of the schema
 * @param what the first word of the error, such as the name of a verb
 * @returns a copy of the input
 * @throws a Refusal 400 that names the first field that does not fit
 */
export function readInput<Name extends keyof ControlInputs>(
  name: Name,
  input: unknown,
  what?: string,
): ControlInputs[Name] {
  const isValid = validators[name];
  if (isValid(input)) return structuredClone(input);
  const problems = (isValid.errors ?? []).map((error) =>
    problemOf(inputSchemas[name], input, error),
  );
  const [first] = problems.sort((one, other) => compareRanks(one.rank, other.rank));
  const { path = "", text = "" } = first ?? {};
  throw badRequest([what, path, text].filter(Boolean).join(": "));
}

interface Problem {
  /** The path of the field, its segments joined by dots. */
  readonly path: string;
  readonly text: string;
  /** The place of each segment in the schema: earlier fields come first, unknown ones last. */
  readonly rank: readonly number[];
}

function problemOf(root: InputSchema, input: unknown, error: InputError): Problem {
  const { missingProperty, additionalProperty } = error.params;
  const above = segmentsOf(error.instancePath);
  const own = [missingProperty, additionalProperty].filter((name) => typeof name === "string");
  const segments = [...above, ...own];
  let schema: InputSchema | undefined = root;
  let value = input;
  const rank: number[] = [];
  for (const segment of segments) {
    const parent: InputSchema = schema ?? {};
    const fields: InputSchema["properties"] = parent.properties;
    const index = fields ? Object.keys(fields).indexOf(segment) : Number(segment);
    rank.push(index === -1 ? Number.POSITIVE_INFINITY : index);
    schema = fields ? (index === -1 ? undefined : fields[segment]) : parent.items;
    value = Object(value)[segment];
  }
  const isUnknown = additionalProperty !== undefined || schema === undefined;
  const text = isUnknown ? "unknown parameter" : textOf(error, schema, value);
  return { path: segments.join("."), text, rank };
}

/** The message of an error, without the path. */
function textOf({ keyword, params }: InputError, schema: InputSchema = {}, value: unknown): string {
  const { limit } = params;
  if (schema.enum) return `expected one of ${schema.enum.map((one) => `"${one}"`).join("|")}`;
  switch (keyword) {
    case "minLength":
      return "is empty";
    case "maxLength":
      return `expected string to have <=${limit} characters`;
    case "minItems":
      return `expected array to have >=${limit} items`;
    case "maxItems":
      return `expected array to have <=${limit} items`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
      return `expected number to be ${params["comparison"]}${limit}`;
    case "pattern":
    case "format":
      return `takes ${schema["x-takes"]}`;
    default:
      return `expected ${expectedType(schema, value)}, received ${typeNameOf(value)}`;
  }
}

function expectedType({ type = [] }: InputSchema, value: unknown): string {
  const name = [type].flat().find((one) => one !== "null") ?? "object";
  if (name !== "integer") return name;
  return Number.isFinite(value) ? "int" : "number";
}

function typeNameOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  if (at === -1) return one.length - other.length;
  return (one[at] ?? 0) < (other[at] ?? -1) ? -1 : 1;
}
