import type { Schema } from "./library.ts";
import { type Check, type Checks, compileEach, type SetUp } from "./library.ts";

/** A property of an object schema. */
export interface Property<Built> {
  readonly name: string;
  readonly schema: Built;
  readonly isRequired: boolean;
}

/** How a library without JSON Schema support builds each part of a schema. */
export interface Builder<Built> {
  readonly string: Built;
  readonly number: Built;
  readonly boolean: Built;
  /** Any value except undefined. */
  readonly unknown: Built;
  format(name: string): Built;
  pattern(pattern: RegExp): Built;
  greaterThan(minimum: number): Built;
  enum(values: readonly string[]): Built;
  nullable(schema: Built): Built;
  array(items: Built): Built;
  object(properties: readonly Property<Built>[]): Built;
}

/** Derives the schemas of a library from the contract's JSON Schemas. */
export function setUpBy<Built>(builder: Builder<Built>, check: (schema: Built) => Check): SetUp {
  return async (schemas): Promise<Checks> =>
    compileEach(schemas, (schema) => check(build(builder, schema)));
}

function build<Built>(builder: Builder<Built>, schema: Schema): Built {
  const types = (schema.anyOf ?? [schema]).flatMap(({ type }) => type ?? []);
  const isNullable = types.includes("null");
  const [type, ...others] = types.filter((name) => name !== "null");
  if (others.length > 0) throw unsupported(schema);
  const typed = schema.anyOf?.find((alternative) => alternative.type === type) ?? schema;
  const built = buildType(builder, type, typed);
  return isNullable ? builder.nullable(built) : built;
}

function buildType<Built>(
  builder: Builder<Built>,
  type: string | undefined,
  schema: Schema,
): Built {
  const { format, pattern, exclusiveMinimum, enum: values, items } = schema;
  switch (type) {
    case undefined:
      return builder.unknown;
    case "boolean":
      return builder.boolean;
    case "number":
      if (exclusiveMinimum === undefined) return builder.number;
      return builder.greaterThan(exclusiveMinimum);
    case "string":
      if (values) return builder.enum(values);
      if (format) return builder.format(format);
      return pattern ? builder.pattern(new RegExp(pattern)) : builder.string;
    case "array":
      return builder.array(build(builder, items ?? {}));
    case "object":
      return builder.object(propertiesOf(builder, schema));
    default:
      throw unsupported(schema);
  }
}

function propertiesOf<Built>(
  builder: Builder<Built>,
  { properties = {}, required = [] }: Schema,
): Property<Built>[] {
  return Object.entries(properties).map(([name, schema]) => {
    return { name, schema: build(builder, schema), isRequired: required.includes(name) };
  });
}

function unsupported(schema: Schema): Error {
  return new Error(`unsupported schema: ${JSON.stringify(schema).slice(0, 200)}`);
}
