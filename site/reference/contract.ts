import { readFileSync } from "node:fs";
import type { Schema } from "../../scripts/generate/document.ts";

export type { Schema };

/** An example of a body. */
export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

interface Body {
  readonly content?: {
    readonly [type: string]: {
      readonly schema?: Schema;
      readonly examples?: Readonly<Record<string, Example>>;
    };
  };
}

interface Response extends Body {
  readonly description: string;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** An operation, or the delivery of an event. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: Body & { readonly description?: string };
  readonly responses: Readonly<Record<string, Response & { readonly $ref?: string }>>;
  readonly "x-requirements"?: readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** The OpenAPI document of the interface. */
export const contract: Document = JSON.parse(
  readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"),
);

/** Every operation by method and path, such as `GET /cards`. */
export const operationsByKey: ReadonlyMap<string, Operation> = new Map(
  Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one]),
  ),
);

/** Every event by its name. */
export const eventsByName: ReadonlyMap<string, Operation> = new Map(
  Object.entries(contract.webhooks).map(([name, { post }]) => [name, post]),
);

/** The name of a referenced schema; undefined for an inline one. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.replace("#/components/schemas/", "");
}

/** The schema that a reference leads to, with the reference's own description and requirements. */
export function resolve(schema: Schema): Schema {
  const name = nameOf(schema);
  if (name === undefined) return schema;
  const target = contract.components.schemas[name];
  if (!target) throw new Error(`the document has no schema ${name}`);
  const { $ref: _, ...own } = schema;
  return { ...target, ...own };
}

/** The one schema of a union with null; undefined for other schemas. */
export function nullable({ anyOf = [] }: Schema): Schema | undefined {
  const [only, ...others] = anyOf.filter(({ type }) => type !== "null");
  return only && others.length === 0 && anyOf.length === 2 ? resolve(only) : undefined;
}

/** The parameters of an operation, without references. */
export function parametersOf({ parameters = [] }: Operation): Parameter[] {
  return parameters.map((parameter) => {
    const name = parameter.$ref?.replace("#/components/parameters/", "");
    const target = name === undefined ? parameter : contract.components.parameters[name];
    if (!target) throw new Error(`the document has no parameter ${name}`);
    return target;
  });
}

/** The responses of an operation by status, without references. */
export function responsesOf({ responses }: Operation): (readonly [string, Response])[] {
  return Object.entries(responses).map(([status, response]) => {
    const name = response.$ref?.replace("#/components/responses/", "");
    const target = name === undefined ? response : contract.components.responses[name];
    if (!target) throw new Error(`the document has no response ${name}`);
    return [status, target] as const;
  });
}

/** The JSON body of an operation's success, or of an event. */
export function bodyOf(operation: Operation): {
  readonly schema: Schema | undefined;
  readonly examples: readonly (readonly [string, Example])[];
} {
  const body = operation.responses["200"]?.content ? operation.responses["200"] : undefined;
  const { schema, examples = {} } =
    (body ?? operation.requestBody)?.content?.["application/json"] ?? {};
  return { schema, examples: Object.entries(examples) };
}
