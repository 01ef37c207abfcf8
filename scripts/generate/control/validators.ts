import { _, Ajv } from "ajv";
import { controlFormats } from "../../../src/sandbox/control/formats.ts";
import { withBanner } from "../banner.ts";
import { bundle } from "../bundle.ts";
import type { Document } from "../document.ts";
import { standalone } from "../validators.ts";
import { type InlineSchema, inputSchemas } from "./inputs.ts";

/** Renders `control-validators.js`: a validator for each body and query of the control API. */
export function renderControlValidators(document: Document): Promise<string> {
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    strict: true,
    allowUnionTypes: true,
    // Lengths are counted in UTF-16 code units, as JavaScript does. AJV warns of the option.
    unicode: false,
    logger: false,
    formats: controlFormats,
    code: { source: true, esm: true, lines: true, formats: _`controlFormats` },
  });
  const inputs = inputSchemas(document);
  for (const [name, schema] of inputs) ajv.addSchema(withoutAnnotations(schema), name);
  const names = [...inputs.keys()];
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
export const validators: { readonly [Name in keyof ControlInputs]: InputValidator<ControlInputs[Name]> };
`);
}

/** The schema with the keywords that AJV checks. */
function withoutAnnotations(schema: InlineSchema): InlineSchema {
  const { description: _description, properties, items, ...rest } = schema;
  const keywords = Object.entries(rest).filter(
    ([key]) => !key.startsWith("x-") && key !== "default",
  );
  const members = Object.entries(properties ?? {}).map(([name, member]) => {
    return [name, withoutAnnotations(member)];
  });
  return {
    ...Object.fromEntries(keywords),
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: withoutAnnotations(items) }),
  };
}
