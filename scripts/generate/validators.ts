import { _, Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { formats } from "../../src/contract/formats.ts";
import { withBanner } from "./banner.ts";
import { bundle } from "./bundle.ts";
import { type Document, eventSchemas, responseSchemas } from "./document.ts";
import { addKeywords } from "./validator-keywords.ts";
import { ValidatorSchemas } from "./validator-schemas.ts";

/**
 * Compiles a validator for each event payload and each operation's response with AJV's standalone
 * mode. esbuild bundles them into one module without import, require and eval. Shared schemas are
 * compiled once.
 */
export function renderValidators(document: Document): Promise<string> {
  const events = eventSchemas(document);
  const responses = responseSchemas(document);
  const schemas = new ValidatorSchemas(document.components.schemas);
  const roots = [...new Set([...events, ...responses].map(([, name]) => name))];
  const entry = `
import { formats } from "./formats.ts";
import { testOf } from "./patterns.ts";
import { attach, below, codes, deviates, missing } from "./shape-errors.ts";
export { INVALID, deviationsOf, VALID, shapeOf, DEVIATING } from "./shape-errors.ts";
${compiled(schemas, roots)}
export const events = {
${events.map(([event, name]) => `  ${JSON.stringify(event)}: ${name},`).join("\n")}
};
export const responses = {
${responses.map(([key, name]) => `  ${JSON.stringify(key)}: { 200: ${name} },`).join("\n")}
};
export const formatClaims = ${JSON.stringify(claimsOfFormats(document))};
`;
  return bundle(entry, "validators.js");
}

/** Compiles each named schema that the roots refer to. */
function compiled(schemas: ValidatorSchemas, roots: readonly string[]): string {
  // A root calls the schema of its name, which adds the requirements to the errors.
  const calls = roots.map((name) => [`${name}Root`, { use: schemas.use(name) }] as const);
  const ajv = new Ajv({
    allErrors: true,
    formats,
    messages: false,
    strict: true,
    // Open types and payloads that extend a resource have no `type` of their own.
    strictTypes: false,
    code: {
      source: true,
      esm: true,
      lines: true,
      optimize: 2,
      formats: _`formats`,
      regExp: Object.assign((pattern: string, flags: string) => new RegExp(pattern, flags), {
        code: "testOf",
      }),
    },
  });
  addKeywords(ajv);
  for (const [name, schema] of [...schemas.named, ...calls]) ajv.addSchema(schema, name);
  const code = standalone(ajv, Object.fromEntries(roots.map((name) => [name, `${name}Root`])));
  return code.replaceAll("export const", "const");
}

// AJV's CommonJS default export, as Node and TypeScript each see it.
const standalone = (typeof standaloneCode === "function"
  ? standaloneCode
  : (standaloneCode as { default: unknown }).default) as unknown as (
  ajv: Ajv,
  exported: Record<string, string>,
) => string;

/** Renders the types of the validator module. */
export function renderValidatorTypes(): string {
  return withBanner(`
import type { EventName, EventPayloads } from "./events.ts";
import type { ResponseBodies } from "./operations.ts";
import type { ClaimId } from "./requirements.ts";

/** The configured network codes. */
interface Networks {
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

/** An error of AJV with its position and its claims. */
export interface ShapeError {
  /** The keyword of JSON Schema that fails, or \`variants\`, \`open\` or \`openType\`. */
  readonly keyword: string;
  /** The position in the payload, as a JSON pointer; empty for the payload itself. */
  readonly instancePath: string;
  /** The parameters of the keyword. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The most specific claim of the value, from its schema or one that it refers to. */
  readonly closest?: string | undefined;
  /** The claims of the property itself, and requirements that document it, joined by a space. */
  readonly own?: string | undefined;
  /** The most specific claim of an enclosing schema. */
  readonly above?: string | undefined;
}

/** Validates the shape of a payload. */
export interface ShapeValidator<T> {
  (payload: unknown): payload is T;
  /** The errors of the last call, or null if there were none. Long lists are truncated. */
  readonly errors?: readonly ShapeError[] | null;
}

/** The payload does not have the shape. */
export const INVALID: 0;
/** The payload has the shape, and every value of an open set is known. */
export const VALID: 1;
/** The payload has the shape, and a value of an open set is unknown. */
export const DEVIATING: 2;

/** Validates a payload and its values of open sets. */
export function shapeOf(
  validator: ShapeValidator<unknown>,
  payload: unknown,
  networks: Networks,
): 0 | 1 | 2;

/** Lists the values of an unusual payload that are not known values of their open sets. */
export function deviationsOf(
  validator: ShapeValidator<unknown>,
  payload: unknown,
  networks: Networks,
): readonly ShapeError[];

/** A validator for each event payload, by event name. */
export const events: { readonly [Name in EventName]: ShapeValidator<EventPayloads[Name]> };

/** A validator for each operation's JSON response, by operation and status. */
export const responses: {
  readonly [Key in keyof ResponseBodies]: {
    readonly [Status in keyof ResponseBodies[Key]]: ShapeValidator<ResponseBodies[Key][Status]>;
  };
};

/** The claim that a value in the wrong format violates, by format. */
export const formatClaims: Readonly<Record<string, ClaimId>>;
`);
}

/** Finds the claim of each format: that of the scalar that uses the format. */
export function claimsOfFormats({ components }: Document): Record<string, string> {
  return Object.fromEntries(
    Object.values(components.schemas).flatMap(({ format, "x-requirements": ids }) =>
      format && ids?.[0] ? [[format, ids[0]] as const] : [],
    ),
  );
}
