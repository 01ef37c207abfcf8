import { fileURLToPath } from "node:url";
import { _, Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { formats } from "../../src/contract/formats.ts";
import { BANNER, withBanner } from "./banner.ts";
import { type Document, eventSchemas, responseSchemas } from "./document.ts";
import { addKeywords } from "./validator-keywords.ts";
import { ValidatorSchemas } from "./validator-schemas.ts";

/**
 * Compiles a validator for each event's payload and each operation's answer by AJV's standalone
 * mode. esbuild seals them into one module without import, require and eval. A schema that several
 * of them share is compiled once.
 */
export function renderValidators(document: Document): Promise<string> {
  const events = eventSchemas(document);
  const answers = responseSchemas(document);
  const schemas = new ValidatorSchemas(document.components.schemas);
  const roots = [...new Set([...events, ...answers].map(([, name]) => name))];
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
${answers.map(([key, name]) => `  ${JSON.stringify(key)}: { 200: ${name} },`).join("\n")}
};
export const formatRequirements = ${JSON.stringify(requirementsOfFormats(document))};
`;
  return bundle(entry, "validators.js");
}

/** AJV's code for each named schema that the roots lead to. */
function compiled(schemas: ValidatorSchemas, roots: readonly string[]): string {
  // A root calls the schema of its name, which gives the errors their requirements.
  const calls = roots.map((name) => [`${name}Root`, { use: schemas.use(name) }] as const);
  const ajv = new Ajv({
    allErrors: true,
    formats,
    messages: false,
    strict: true,
    // An open type has no `type`, and the type of a twin is in what it uses.
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
export const standalone = (typeof standaloneCode === "function"
  ? standaloneCode
  : (standaloneCode as { default: unknown }).default) as unknown as (
  ajv: Ajv,
  exported: Record<string, string>,
) => string;

/** Renders the types of the sealed module. */
export function renderValidatorTypes(): string {
  return withBanner(`
import type { EventName, EventPayloads } from "./events.ts";
import type { ResponseBodies } from "./operations.ts";
import type { RequirementId } from "./requirements.ts";

/** The codes of the networks. The contract has placeholders for them. */
interface Networks {
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

/** An error of AJV, at the place where it is, with the requirements of the place. */
export interface ShapeError {
  /** The keyword of JSON Schema that fails, or \`variants\`, \`open\` or \`openType\`. */
  readonly keyword: string;
  /** Where in the payload, as a JSON pointer; empty for the payload itself. */
  readonly instancePath: string;
  /** What the keyword asks for. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The closest requirement that the place, or a schema that it refers to, names. */
  readonly closest?: string | undefined;
  /** The requirements that the place itself names, joined by a space. */
  readonly own?: string | undefined;
  /** The closest requirement above the place. */
  readonly above?: string | undefined;
}

/** Tells whether a payload has a shape. */
export interface ShapeValidator<T> {
  (payload: unknown): payload is T;
  /** The errors of the last call, or null if there were none. A long list is cut short. */
  readonly errors?: readonly ShapeError[] | null;
}

/** The payload has another shape. */
export const INVALID: 0;
/** The payload has the shape, and no value is outside an open set. */
export const VALID: 1;
/** The payload has the shape, and a value is outside an open set. */
export const DEVIATING: 2;

/** Tells whether a payload has the shape of a validator. */
export function shapeOf(
  validator: ShapeValidator<unknown>,
  payload: unknown,
  networks: Networks,
): 0 | 1 | 2;

/** Lists the values of an unusual payload that are outside an open set. */
export function deviationsOf(
  validator: ShapeValidator<unknown>,
  payload: unknown,
  networks: Networks,
): readonly ShapeError[];

/** A validator for each event's payload, by the event's name. */
export const events: { readonly [Name in EventName]: ShapeValidator<EventPayloads[Name]> };

/** A validator for each operation's JSON answer, by the operation and the status. */
export const responses: {
  readonly [Key in keyof ResponseBodies]: {
    readonly [Status in keyof ResponseBodies[Key]]: ShapeValidator<ResponseBodies[Key][Status]>;
  };
};

/** The requirement that a value in the wrong format breaks, for each format that has one. */
export const formatRequirements: Readonly<Record<string, RequirementId>>;
`);
}

/** A format's own requirement is that of the scalar which the contract defines by it. */
export function requirementsOfFormats({ components }: Document): Record<string, string> {
  return Object.fromEntries(
    Object.values(components.schemas).flatMap(({ format, "x-requirements": ids }) =>
      format && ids?.[0] ? [[format, ids[0]] as const] : [],
    ),
  );
}

const CONTRACT_DIR = fileURLToPath(new URL("../../src/contract/", import.meta.url));

/**
 * Bundles a source that may import the modules of `src/contract/` into one module with no import,
 * no require and no eval.
 */
async function bundle(contents: string, sourcefile: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: CONTRACT_DIR, loader: "js", sourcefile },
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    minify: true,
    legalComments: "none",
    lineLimit: 120,
    banner: { js: `// ${BANNER}` },
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
