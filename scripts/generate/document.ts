/** The parts of the emitted OpenAPI document that the generator reads. */
export interface Document {
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema> };
}

export interface Operation {
  operationId: string;
  summary: string;
  tags?: string[];
  security?: unknown[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
  "x-requirements"?: string[];
  /** The resource by which the deliveries of a webhook are ordered. */
  "x-order-by"?: { path: string; id: string };
}

export interface Media {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  maxLength?: number;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: boolean | Schema;
  description?: string;
  example?: unknown;
  examples?: unknown[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  "x-requirements"?: string[];
  /** Whether the property has the id of an event's resource. */
  "x-resource-id"?: boolean;
  /** The path of the GET operation for the target of a link, or of each link in an array. */
  "x-leads-to"?: string;
  /** The known values of an open set. */
  "x-extensible-enum"?: string[];
  /** The known types of an open type. */
  "x-extensible-type"?: string | string[];
  /** The pattern of the known values of an open set. */
  "x-extensible-pattern"?: string;
}

/**
 * Parses the emitted document. Formats that no OpenAPI registry lists are emitted as `x-format`,
 * because readers warn about them. This restores them to `format`.
 */
export function parseDocument(json: string): Document {
  return JSON.parse(json, (_key, value) => {
    if (typeof value?.["x-format"] !== "string") return value;
    const { "x-format": format, ...schema } = value;
    return { ...schema, format };
  });
}

/** Keywords that do not affect validation. */
export const ANNOTATIONS = [
  "description",
  "example",
  "examples",
  "x-requirements",
  "x-resource-id",
  "x-leads-to",
  "x-extensible-enum",
  "x-extensible-pattern",
  "x-extensible-type",
] as const;

/** An operation with its `key`, `METHOD /path`, as in findings and on the command line. */
export interface NamedOperation {
  key: string;
  method: string;
  path: string;
  operation: Operation;
}

/** Lists every operation of the service, in the order of the contract. */
export function operationsOf(document: Document): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return { key: `${method} ${path}`, method, path, operation };
    }),
  );
}

/** The kind of an operation's resource, such as `bank-accounts`: its tag. */
export function kindOf({ tags: [tag = ""] = [] }: Operation): string {
  return tag.toLowerCase().replaceAll(" ", "-");
}

/** The name of a kind of resource: in camel case, such as `bankAccounts`. */
export function resourceName(kind: string): string {
  return kind.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** The name of the schema that a `$ref` refers to. */
export function schemaName(ref: string): string {
  return ref.slice("#/components/schemas/".length);
}

/** The name of the schema of each operation's 200 response, if one is specified. */
export function responseSchemas(document: Document): [operation: string, schema: string][] {
  return operationsOf(document).flatMap(({ key, operation }) => {
    const ref = operation.responses["200"]?.content?.["application/json"]?.schema.$ref;
    return ref ? [[key, schemaName(ref)]] : [];
  });
}

/** The name of the schema of each event's payload. */
export function eventSchemas(document: Document): [event: string, schema: string][] {
  return Object.entries(document.webhooks).map(([event, { post }]) => {
    const ref = post.requestBody?.content["application/json"]?.schema.$ref;
    if (!ref) throw new Error(`the webhook ${event} has no named payload: give its model a name`);
    return [event, schemaName(ref)];
  });
}

/** Follows a node's `$ref`, if it has one. */
export function resolved<T extends { readonly $ref?: string }>(document: Document, node: T): T {
  if (node.$ref === undefined) return node;
  const [, , section = "", name = ""] = node.$ref.split("/");
  const components = document.components as Record<string, Record<string, unknown>>;
  return (components[section]?.[name] ?? node) as T;
}

/** The schema of an operation's JSON body with status 200. */
export function successSchema(document: Document, { responses }: Operation): Schema | undefined {
  const schema = responses["200"]?.content?.["application/json"]?.schema;
  return schema && resolved(document, schema);
}

/** The schema of a property. */
export function propertyOf(
  document: Document,
  schema: Schema | undefined,
  name: string,
): Schema | undefined {
  const property = schema?.properties?.[name];
  return property && resolved(document, property);
}
