import SwaggerParser from "@apidevtools/swagger-parser";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { formats } from "../../src/contract/formats.ts";
import { segmentsOf, valueAt } from "../../src/contract/pointer.ts";
import { ScriptError } from "../run-script.ts";
import type { SourceOf } from "./contract.ts";
import type { Document } from "./document.ts";

/** An example, its source, and the position of its schema. */
interface Example {
  readonly source: string;
  readonly value: unknown;
  /** A JSON pointer into the document. */
  readonly schema: string;
}

/**
 * Checks the document with swagger-parser.
 *
 * @throws {ScriptError} One line: the first error that swagger-parser found.
 */
export async function checkDocument(document: Document): Promise<void> {
  try {
    // swagger-parser modifies its argument.
    await SwaggerParser.validate(structuredClone(document) as never);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ScriptError([`generated/openapi.json: swagger-parser: ${oneLine(message)}`]);
  }
}

/**
 * Validates every example of the document against its schema, as JSON Schema 2020-12 with our
 * formats. An unknown property is an error unless the schema allows others; otherwise a misspelled
 * optional property would pass.
 *
 * @throws {ScriptError} A line for each invalid example: its source, and its first error.
 */
export function checkExamples(document: Document, sourceOf: SourceOf): void {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, formats });
  ajv.addSchema(withoutUnnamed(document), "openapi");
  const validators = new Map<string, ValidateFunction>();
  const lines = examplesOf(document, sourceOf).flatMap(({ source, value, schema }) => {
    const validate = validators.get(schema) ?? ajv.compile({ $ref: `openapi#${schema}` });
    validators.set(schema, validate);
    return validate(value) ? [] : [`${source}: ${describe(value, validate.errors ?? [])}`];
  });
  if (lines.length > 0) throw new ScriptError(lines);
}

/** Copies the document and closes its objects to unknown properties. */
function withoutUnnamed(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    const isObject = value?.type === "object" && value.properties !== undefined;
    return isObject ? { additionalProperties: false, ...value } : value;
  });
}

/** Collects every `example` and `examples` of media types, parameters and schemas. */
function examplesOf(document: Document, sourceOf: SourceOf): Example[] {
  const found: Example[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    if (typeof node !== "object" || node === null) return;
    const { schema, example, examples } = node as Record<string, unknown>;
    const isSchema = path.at(-2) === "schemas" || path.at(-2) === "properties";
    if (schema !== undefined || isSchema) {
      const at = pointerTo(schema === undefined ? path : [...path, "schema"]);
      if (example !== undefined)
        found.push({ source: positionOf(path), value: example, schema: at });
      for (const [name, one] of Object.entries(examples ?? {})) {
        // A schema lists values; a media type or parameter names Example Objects.
        const value = schema === undefined ? one : (one as { value: unknown }).value;
        const of = bodyOf(document, path);
        const source = of ? sourceOf(of, name) : `${positionOf(path)}/examples/${name}`;
        found.push({ source, value, schema: at });
      }
    }
    for (const [key, child] of Object.entries(node)) {
      if (key !== "example" && key !== "examples") visit(child, [...path, key]);
    }
  };
  visit(document, []);
  return found;
}

/** The event or the operation whose body is at a path of the document. */
function bodyOf(document: Document, path: readonly string[]): string | undefined {
  const [section, key = "", method = ""] = path;
  if (section === "webhooks") return key;
  const operation = section === "paths" ? document.paths[key]?.[method] : undefined;
  return path.includes("responses") ? operation?.operationId : undefined;
}

const positionOf = (path: readonly string[]) => `generated/openapi.json#${pointerTo(path)}`;

function pointerTo(path: readonly string[]): string {
  const parts = path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return parts.map((part) => encodeURI(part)).join("");
}

/**
 * Describes the first error. For a discriminated union, the first error of the matching variant.
 */
function describe(value: unknown, errors: readonly ErrorObject[]): string {
  const wrongTags = new Set(errors.filter(isWrongTag).map(variantOf));
  const error = errors.find((one) => !wrongTags.has(variantOf(one))) ?? errors[0];
  if (!error) return "is not valid";
  const { keyword, instancePath, message = "is not valid", params } = error;
  const at = instancePath === "" ? "the value" : instancePath;
  if (keyword === "additionalProperties") {
    return `${at} must not have the property ${params["additionalProperty"]}`;
  }
  const allowed = "allowedValues" in params ? `: ${params["allowedValues"]}` : "";
  const actual =
    instancePath === ""
      ? ""
      : `; it is ${JSON.stringify(valueAt(value, segmentsOf(instancePath)))}`;
  return oneLine(`${at} ${message}${allowed}${actual}`).slice(0, 300);
}

const isWrongTag = ({ keyword }: ErrorObject) => keyword === "enum" || keyword === "const";

const variantOf = ({ schemaPath }: ErrorObject) =>
  schemaPath.replace(/\/(properties|required).*/, "");

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
