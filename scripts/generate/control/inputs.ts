import { type Document, operationsOf, type Schema, schemaName } from "../document.ts";
import { bodySchema } from "./document.ts";

/** A schema without `$ref`, which describes a verb of the sandbox. */
type InlineSchema = Omit<Schema, "$ref">;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** A path parameter, and the models of `spec/sandbox/options.tsp`. */
const OTHERS = ["SnapshotName", "SandboxSettings", "SdkEnrollment"];

/** The schema of every body and query that the sandbox reads, by name and without `$ref`. */
export function inputSchemas(document: Document): Map<string, InlineSchema> {
  const { schemas } = document.components;
  const bodies = operationsOf(document).flatMap(({ operation }) => bodySchema(operation) ?? []);
  const named = [...new Set([...bodies, ...OTHERS])].map(
    (name) => [name, schemas[name] ?? {}] as const,
  );
  const inputs = [...named, ...querySchemas(document)];
  return new Map(inputs.map(([name, schema]) => [name, inlined(document, schema)]));
}

/** The query parameters of each operation as an object: `EventsQuery` for `GET /events`. */
export function querySchemas(document: Document): Map<string, Schema> {
  return new Map(
    operationsOf(document).flatMap(({ path, operation }) => {
      const query = parametersOf(operation).filter((parameter) => parameter.in === "query");
      return query.length === 0 ? [] : [[queryName(path), objectOf(query)] as const];
    }),
  );
}

/** The name of an operation's query: `EventsQuery` for `/events`. */
export function queryName(path: string): string {
  const [, first = ""] = path.split("/");
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}Query`;
}

/** Whether an operation has query parameters. */
export function hasQuery(operation: object): boolean {
  return parametersOf(operation).some((parameter) => parameter.in === "query");
}

function parametersOf(operation: object): Parameter[] {
  return (operation as { parameters?: Parameter[] }).parameters ?? [];
}

function objectOf(parameters: readonly Parameter[]): Schema {
  const properties = parameters.map(({ name, description, schema }) => {
    return [name, { ...schema, ...(description !== undefined && { description }) }];
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** The schema with each `$ref` replaced by its target. Keywords next to a `$ref` override it. */
function inlined(document: Document, schema: Schema): InlineSchema {
  const { $ref, properties, items, ...own } = schema;
  const target = $ref ? inlined(document, document.components.schemas[schemaName($ref)] ?? {}) : {};
  const members = Object.entries(properties ?? {}).map(([name, member]) => {
    return [name, inlined(document, member)];
  });
  return {
    ...target,
    ...own,
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: inlined(document, items) }),
  };
}
