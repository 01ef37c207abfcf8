import { _, Ajv, type Options } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { formats } from "../../src/contract/formats.ts";
import { withBanner } from "./banner.ts";
import {
  ANNOTATIONS,
  answerSchemas,
  type Document,
  eventSchemas,
  type Schema,
} from "./document.ts";
import { lean } from "./lean.ts";
import { seal } from "./seal.ts";

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
  const names = [...new Set([...events, ...answers].map(([, schema]) => schema))];

  const ajv = new Ajv(OPTIONS);
  ajv.addVocabulary(["components"]);
  ajv.addKeyword({
    keyword: WHERE_OBJECT,
    type: "object",
    schemaType: "object",
    code: (context) => void context.subschema({ keyword: WHERE_OBJECT }, context.gen.name("valid")),
  });
  ajv.addSchema({ $id: "contract", components: prepared(document.components) });
  const exported = Object.fromEntries(
    names.map((name) => [name, `contract#/components/schemas/${name}`]),
  );
  const entry = `
import { formats } from "./formats.ts";
${lean(standalone(ajv, exported))}
export const events = {
${events.map(([event, name]) => `  ${JSON.stringify(event)}: ${name},`).join("\n")}
};
export const answers = {
${answers.map(([key, name]) => `  ${JSON.stringify(key)}: { 200: ${name} },`).join("\n")}
};
`;
  return seal(entry, "validators.js");
}

// AJV's CommonJS default export, as Node and TypeScript each see it.
const standalone = (typeof standaloneCode === "function"
  ? standaloneCode
  : (standaloneCode as { default: unknown }).default) as unknown as (
  ajv: Ajv,
  exported: Record<string, string>,
) => string;

/** Our keyword for what holds of a value where it is an object. */
const WHERE_OBJECT = "whereObject";

/**
 * The schemas as the validators take them: of the same values, telling one fault once, and those of
 * members each with a name, so that what many members ask for is compiled once.
 */
function prepared({ schemas }: Document["components"]): unknown {
  const ofMembers = new Map<string, string>();
  const named = (schema: Schema): Schema => {
    // The tags of a union have to stand where they are.
    if (schema.$ref || schema.enum || Object.keys(schema).length === 0) return schema;
    const text = JSON.stringify(schema);
    const name = ofMembers.get(text) ?? `Member${ofMembers.size}`;
    ofMembers.set(text, name);
    return { $ref: `#/components/schemas/${name}` };
  };
  const resources = JSON.parse(JSON.stringify(schemas), (_key, value: Schema) => {
    if (typeof value !== "object" || value === null) return value;
    const schema = simplified(value);
    if (isSchema(schema.items)) schema.items = named(schema.items);
    if (!isSchema(schema.properties)) return schema;
    const members = Object.entries(schema.properties).map(([name, one]) => [name, named(one)]);
    return { ...schema, properties: Object.fromEntries(members) };
  });
  const members = [...ofMembers].map(([text, name]) => [name, JSON.parse(text)]);
  return { schemas: { ...resources, ...Object.fromEntries(members) } };
}

function simplified(schema: Schema): Schema {
  // A property may be called "description" too: it then holds a schema, not a text.
  for (const key of ANNOTATIONS) if (!isSchema(schema[key])) delete schema[key];
  // Our formats say what the patterns and lengths beside them say.
  if (schema.format && schema.format in formats) {
    delete schema.pattern;
    delete schema.maxLength;
  }
  // A value of the wrong type is none of a closed set either.
  if (schema.enum) delete schema.type;
  // AJV reads the variants from the union itself and refuses a mapping.
  if (schema.discriminator?.mapping) delete schema.discriminator.mapping;
  if (!schema.anyOf) return schema;
  // What may be null fails the null branch, the other branch and the union of both.
  const { anyOf, ...rest } = schema;
  return Object.assign(rest, { type: ["object", "null"], [WHERE_OBJECT]: anyOf[0] });
}

function isSchema(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
  /** What the keyword asks for. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Tells whether a payload has a shape. After each call \`errors\` has what is wrong, at most the
 * first thousand faults, or null.
 */
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
