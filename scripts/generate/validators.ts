import { fileURLToPath } from "node:url";
import { _, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { formats } from "../../src/contract/formats.ts";
import { BANNER, withBanner } from "./banner.ts";
import { answerSchemas, type Document, eventSchemas, type Schema } from "./document.ts";

const CONTRACT_DIR = fileURLToPath(new URL("../../src/contract/", import.meta.url));

const OPTIONS: Options = {
  allErrors: true,
  discriminator: true,
  // A scalar that many places refer to is compiled once.
  inlineRefs: false,
  formats,
  messages: false,
  strict: true,
  // A bound beside a $ref has its type in what the $ref leads to, which this rule does not follow.
  strictTypes: false,
  code: { source: true, esm: true, lines: true, formats: _`formats` },
};

/**
 * Compiles a validator for each event's payload and each operation's answer, by AJV's standalone
 * mode, and seals them by esbuild into one module with no import, no require and no eval. A schema
 * that several of them share is compiled once.
 */
export async function renderValidators(document: Document): Promise<string> {
  const events = eventSchemas(document);
  const answers = answerSchemas(document);
  const names = new Set([...events, ...answers].map(([, schema]) => schema));

  const ajv = new Ajv2020(OPTIONS);
  ajv.addVocabulary(["components"]);
  ajv.addSchema({ $id: "contract", components: prepared(document.components) });
  const exported = Object.fromEntries(
    [...names].map((name) => [name, `contract#/components/schemas/${name}`]),
  );
  const compiled = standalone(ajv, exported);
  const entry = `
import { formats } from "./formats.ts";
${compiled.replace(/^"use strict";/, "").replace(/^export const /gm, "const ")}
export const events = {
${events.map(([event, name]) => `  ${JSON.stringify(event)}: ${name},`).join("\n")}
};
export const answers = {
${answers.map(([key, name]) => `  ${JSON.stringify(key)}: { 200: ${name} },`).join("\n")}
};
`;
  return seal(entry);
}

// AJV's CommonJS default export, as Node and TypeScript each see it.
const standalone = (typeof standaloneCode === "function"
  ? standaloneCode
  : (standaloneCode as { default: unknown }).default) as unknown as (
  ajv: Ajv2020,
  exported: Record<string, string>,
) => string;

/** What describes a place and asks nothing of it. */
const ANNOTATIONS = ["description", "example", "x-requirements", "x-extensible-enum"] as const;

/** The schemas as the validators take them. */
function prepared(components: Document["components"]): unknown {
  return JSON.parse(JSON.stringify(components), (_key, value: Schema) => {
    if (typeof value !== "object" || value === null) return value;
    // A property may be called "description" too: it then holds a schema, not a text.
    for (const key of ANNOTATIONS) if (!isSchema(value[key])) delete value[key];
    // Our formats say all that their patterns say, and more: one fault is to be one error.
    if (value.format && value.format in formats) delete value.pattern;
    // AJV reads the variants from the union itself and refuses a mapping.
    if (value.discriminator?.mapping) delete value.discriminator.mapping;
    return value;
  });
}

function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function seal(entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: CONTRACT_DIR, loader: "js", sourcefile: "validators.js" },
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

/** Renders the types of the sealed module. */
export function renderValidatorTypes(): string {
  return withBanner(`
import type { EventName, EventPayloads } from "./events.ts";
import type { AnswerBodies } from "./operations.ts";

/** What a validator found wrong, as AJV tells it. */
export interface ShapeError {
  /** The keyword of JSON Schema that does not hold. */
  readonly keyword: string;
  /** Where in the payload, as a JSON pointer; empty for the payload itself. */
  readonly instancePath: string;
  /** Where in its schema the keyword stands. */
  readonly schemaPath: string;
  /** What the keyword asks for. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Tells whether a payload has a shape. After each call \`errors\` has what is wrong, or null. */
export interface ShapeValidator<T> {
  (payload: unknown): payload is T;
  readonly errors?: readonly ShapeError[] | null;
}

/** A validator for each event's payload, by the event's name. */
export const events: { readonly [Name in EventName]: ShapeValidator<EventPayloads[Name]> };

/** A validator for each operation's JSON answer, by the operation and the status. */
export const answers: {
  readonly [Key in keyof AnswerBodies]: {
    readonly [Status in keyof AnswerBodies[Key]]: ShapeValidator<AnswerBodies[Key][Status]>;
  };
};
`);
}
