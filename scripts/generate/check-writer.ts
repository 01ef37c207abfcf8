import { formats } from "../../src/contract/formats.ts";
import { ScriptError } from "../program.ts";
import { ANNOTATIONS, type Schema, schemaName } from "./document.ts";

/** The keywords that a check carries out. Any other has to be given a meaning here first. */
const KEYWORDS = new Set<string>([
  ...["$ref", "type", "format", "pattern", "maxLength", "enum", "minimum", "exclusiveMinimum"],
  "properties",
  ...["required", "items", "anyOf", "oneOf", "discriminator", "additionalProperties"],
  ...ANNOTATIONS,
]);

const TYPES: Record<string, (value: string) => string> = {
  string: (value) => `typeof ${value} === "string"`,
  boolean: (value) => `typeof ${value} === "boolean"`,
  // 1e400 is read as Infinity, which is no number of JSON.
  number: (value) => `typeof ${value} === "number" && isFinite(${value})`,
  integer: (value) => `Number.isInteger(${value})`,
  null: (value) => `${value} === null`,
};

/** The patterns that a payload has many values of are read character by character. */
const PATTERNS: Record<string, (value: string) => string> = {
  "^(/|/[^/\\s].*)$": (value) => `isPath(${value})`,
  "^[^a-zA-Z]*[A-Z][^a-z]*$": (value) => `isUpperCase(${value})`,
  "^DEBIT_[0-9]{2}$": (value) => `isNumbered(${value}, "DEBIT_", 2)`,
};

/** What stands in the contract for the network codes that are configured. */
const NETWORKS: Record<string, string> = { NETWORK_A: "a", NETWORK_B: "b", NETWORK_C: "c" };

/**
 * Writes the JavaScript that tests whether a value fits a schema: a function for each object, each
 * array and each named scalar with constraints, and an expression for everything else. It uses
 * `isObject`, `isPath`, `isUpperCase`, `isNumbered`, the tests of formats and the network codes
 * `a`, `b` and `c`, and sets `unusual` where a value is none of those shown.
 */
export class CheckWriter {
  /** The body of each function of `value` that is needed so far, by its name. */
  readonly functions = new Map<string, string>();
  readonly #schemas: Record<string, Schema>;

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas;
  }

  /** An expression that tells whether `value`, an expression too, fits the schema of a place. */
  test(schema: Schema, value: string, place: string): string {
    refuseUnknown(schema, place);
    if (schema.anyOf) return either(schema.anyOf.map((part) => this.test(part, value, place)));
    if (schema.discriminator) return this.#variants(schema.discriminator, value);
    if (schema.enum) return either(schema.enum.map((one) => `${value} === ${JSON.stringify(one)}`));
    const types = [schema.type ?? []].flat();
    const tests = types
      .filter((type) => type !== "null" || types.length === 1)
      .map((type) => TYPES[type]?.(value) ?? this.#call(this.#bodyOf(schema, place), place, value));
    if (schema.$ref) tests.push(this.#named(schema.$ref, value));
    if (schema["x-extensible-type"]) return this.#openType(schema, value, place);
    if (schema.properties && types.length === 0) {
      tests.push(this.#call(this.#bodyOf(schema, place), place, value));
    }
    const all = [...tests, ...limitsOf(schema, value)].join(" && ");
    return types.length > 1 ? either([`${value} === null`, all]) : all;
  }

  /** A value of a type that is not shown is unusual. Its members and items are tested. */
  #openType(schema: Schema, value: string, place: string): string {
    const { "x-extensible-type": shown = [], "x-extensible-enum": values, ...rest } = schema;
    const [type = "", ...others] = [shown].flat();
    if (type === "object" || type === "array") {
      const test = this.test({ ...rest, type }, value, place);
      const isType = type === "array" ? `Array.isArray(${value})` : `isObject(${value})`;
      return `(${isType} ? ${test} : (unusual = true))`;
    }
    const isShown = values
      ? values.map((one) => `${value} === ${JSON.stringify(one)}`)
      : [type, ...others].map((one) => TYPES[one]?.(value) ?? "false");
    return either([...isShown, "(unusual = true)"]);
  }

  /** What is more than a type has a function of its own, as many places refer to it. */
  #named($ref: string, value: string): string {
    const name = schemaName($ref);
    const schema = this.#schemas[name] ?? {};
    const isCall = schema.type === "object" && !schema.discriminator;
    const isPlain = !schema.format && !schema.pattern && !schema["x-extensible-enum"];
    if (isCall || isPlain) return this.test(schema, value, name);
    return this.#call(`return ${this.test(schema, "value", name)};`, name, value);
  }

  #variants({ propertyName, mapping = {} }: NonNullable<Schema["discriminator"]>, value: string) {
    const variants = Object.entries(mapping).map(
      ([tag, $ref]) => `${value}.${propertyName} === "${tag}" && ${this.#named($ref, value)}`,
    );
    return `isObject(${value}) && ${either(variants)}`;
  }

  /** A call of the function with this body: places that ask for the same share one. */
  #call(body: string, place: string, value: string): string {
    const known = [...this.functions].find(([, same]) => same === body)?.[0];
    const name = known ?? place.replace(/\W/g, "_");
    this.functions.set(name, body);
    return `${name}(${value})`;
  }

  #bodyOf({ type, properties = {}, required = [], items = {} }: Schema, place: string): string {
    if (type === "array") {
      const test = this.test(items, "item", `${place}_item`);
      if (test === "") return "return Array.isArray(value);";
      return `if (!Array.isArray(value)) return false;
        for (let i = 0; i < value.length; i++) {
          const item = value[i];
          if (!(${test})) return false;
        }
        return true;`;
    }
    const tests = Object.entries(properties).map(([name, schema]) => {
      const member = `value[${JSON.stringify(name)}]`;
      const test = this.test(schema, member, `${place}_${name}`);
      if (required.includes(name)) return test || `${member} !== undefined`;
      return either([`${member} === undefined`, test || "true"]);
    });
    return `return ${["isObject(value)", ...tests].join(" && ")};`;
  }
}

function limitsOf(schema: Schema, value: string): string[] {
  const { format, pattern, minimum, exclusiveMinimum } = schema;
  const tests: string[] = [];
  // Our formats say what the patterns and lengths beside them say.
  if (format !== undefined) tests.push(`${formatTest(format)}(${value})`);
  else if (pattern !== undefined) tests.push(patternTest(pattern, value));
  if (minimum !== undefined) tests.push(`${value} >= ${minimum}`);
  if (exclusiveMinimum !== undefined) tests.push(`${value} > ${exclusiveMinimum}`);
  const shown = schema["x-extensible-enum"]?.map(
    (one) => `${value} === ${NETWORKS[one] ?? JSON.stringify(one)}`,
  );
  const form = schema["x-extensible-pattern"];
  if (form) tests.push(either([patternTest(form, value), "(unusual = true)"]));
  if (!shown) return tests;
  // What is shown keeps the pattern of its set.
  return [either([...shown, [...tests, "(unusual = true)"].join(" && ")])];
}

function patternTest(pattern: string, value: string): string {
  const known = PATTERNS[pattern]?.(value);
  return known ?? `/${pattern.replaceAll("/", "\\/")}/u.test(${value})`;
}

/** The name of the test of a format in what is written. */
export function formatTest(format: string): string {
  return `is_${format.replaceAll("-", "_")}`;
}

function either(tests: string[]): string {
  return `(${tests.join(" || ")})`;
}

function refuseUnknown(schema: Schema, place: string): void {
  const { type = [], format, enum: values = [], additionalProperties = true } = schema;
  const types = [type].flat();
  const isKnown =
    Object.keys(schema).every((keyword) => KEYWORDS.has(keyword)) &&
    types.every((one) => one in TYPES || ((one === "object" || one === "array") && !types[1])) &&
    types.filter((one) => one !== "null").length <= 1 &&
    (format === undefined || format in formats) &&
    (schema.maxLength === undefined || format !== undefined) &&
    values.every((value) => typeof value !== "object") &&
    additionalProperties === true &&
    (schema.oneOf === undefined) === (schema.discriminator === undefined);
  if (!isKnown) throw new ScriptError([`${place}: no check is known of ${JSON.stringify(schema)}`]);
}
