import { _, Ajv } from "ajv";
import { controlFormats } from "../../../src/sandbox/control/formats.ts";
import { withBanner } from "../banner.ts";
import { bundle } from "../bundle.ts";
import { type Document, type Schema, schemaName } from "../document.ts";
import { standalone } from "../validators.ts";
import { inputSchemas, querySchemas } from "./inputs.ts";

/** Renders `control-validators.js`: a validator for each body and query of the control API. */
export function renderControlValidators(document: Document): Promise<string> {
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    strict: true,
    allowUnionTypes: true,
    // A shared schema is compiled once.
    inlineRefs: false,
    formats: controlFormats,
    code: { source: true, esm: true, lines: true, formats: _`controlFormats` },
  });
  const schemas = { ...document.components.schemas, ...Object.fromEntries(querySchemas(document)) };
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(forAjv(schema), name);
  const names = [...inputSchemas(document).keys()];
  const code = standalone(ajv, Object.fromEntries(names.map((name) => [name, name])));
  const entry = `
import { controlFormats } from "../sandbox/control/formats.ts";
${code.replaceAll("export const", "const")}
export const validators = { ${names.join(", ")} };
`;
  return bundle(entry, "control-validators.js");
}

/** Renders the types of the bundled module. */
export function renderControlValidatorTypes(): string {
  return withBanner(`
import type { ControlInputs } from "./control-types.ts";

/** An error of AJV. */
export interface InputError {
  /** The keyword of JSON Schema that fails. */
  readonly keyword: string;
  /** A JSON pointer to the value. */
  readonly instancePath: string;
  /** The values of the keyword. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Returns whether an input has the shape of its schema. */
export interface InputValidator<T> {
  (input: unknown): input is T;
  /** The errors of the last call, or null if there were none. */
  readonly errors?: readonly InputError[] | null;
}

/** A validator for each body and query. */
export const validators: {
  readonly [Name in keyof ControlInputs]: InputValidator<ControlInputs[Name]>;
};
`);
}

/** The schema with the keywords that AJV checks, and references by name. */
function forAjv(schema: Schema): Schema {
  const { description: _description, $ref, properties, items, ...rest } = schema;
  const keywords = Object.entries(rest).filter(
    ([key]) => !key.startsWith("x-") && key !== "default",
  );
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, forAjv(member)]);
  return {
    ...Object.fromEntries(keywords),
    ...($ref && { $ref: schemaName($ref) }),
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: forAjv(items) }),
  };
}
