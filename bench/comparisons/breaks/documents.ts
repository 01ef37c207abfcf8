/** Prepares the contract for tools that support only part of OpenAPI 3.1. */
import type { Doc, Schema } from "../../../test/breaks/corpus/index.ts";

/** Removes examples, which do not affect compatibility and take most of the time. */
export function withoutExamples(document: Doc): Doc {
  const isExample = (key: string) => key === "examples" || key === "example";
  return JSON.parse(JSON.stringify(document, (key, value) => (isExample(key) ? undefined : value)));
}

/**
 * Converts each event to the response of a GET, because its payload is received like a response. A
 * tool that ignores webhooks, or treats payloads as requests, then compares in the right direction.
 */
export function withEventsAsResponses(document: Doc): Doc {
  const { webhooks, ...rest } = document;
  const events = Object.entries(webhooks).map(([name, item]) => {
    const { operationId = name, parameters = [], requestBody } = item["post"] ?? {};
    const headers = parameters.map(({ name: header = "", required = false, schema = {} }) => {
      return [header, { required, schema }] as const;
    });
    const response = {
      description: "The event.",
      headers: Object.fromEntries(headers),
      ...(requestBody && { content: requestBody.content }),
    };
    const get = { operationId: `event.${operationId}`, responses: { 200: response } };
    return [`/events/${name}`, { get }] as const;
  });
  return { ...rest, webhooks: {}, paths: { ...rest.paths, ...Object.fromEntries(events) } };
}

/** Removes webhooks: an empty map would be an unknown member in OpenAPI 3.0. */
export function withoutWebhooks(document: Doc): Omit<Doc, "webhooks"> {
  const { webhooks: _, ...rest } = document;
  return rest;
}

/** Converts the document to OpenAPI 3.0, without webhooks. */
export function asOpenApi30(document: Doc): object {
  const converted = structuredClone(withoutWebhooks(document));
  const license = (converted.info as { license?: { identifier?: string } }).license;
  delete license?.identifier;
  convert(converted);
  return { ...converted, openapi: "3.0.3" };
}

const isNull = (schema: Schema) => schema.type === "null";

/** Replaces keywords of OpenAPI 3.1 in schemas, in place. */
function convert(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  const schema = node as Schema;
  if (Array.isArray(schema.type)) {
    const [first = "string"] = schema.type.filter((name) => name !== "null");
    if (schema.type.includes("null")) schema["nullable"] = true;
    schema.type = first;
  } else if (isNull(schema)) {
    Object.assign(schema, { type: "string", nullable: true, enum: [null] });
  }
  // OpenAPI 3.0 forbids an empty list.
  if (Array.isArray(schema.required) && schema.required.length === 0) delete schema.required;
  for (const union of ["anyOf", "oneOf"] as const) {
    const branches = schema[union];
    if (!branches?.some(isNull)) continue;
    const rest = branches.filter((branch) => !isNull(branch));
    schema["nullable"] = true;
    delete schema[union];
    Object.assign(schema, rest.length === 1 ? { allOf: rest } : { [union]: rest });
  }
  if ("const" in schema && typeof schema["const"] !== "object") {
    schema.enum = [schema["const"]];
    delete schema["const"];
  }
  if (typeof schema["exclusiveMinimum"] === "number") {
    Object.assign(schema, { minimum: schema["exclusiveMinimum"], exclusiveMinimum: true });
  }
  for (const child of Object.values(schema)) convert(child);
}

/**
 * Reduces both documents to the paths that differ and the schemas that these refer to, because some
 * tools take seconds for each path.
 *
 * @returns undefined if no path differs.
 */
export function changedPaths(before: Doc, after: Doc): readonly [Doc, Doc] | undefined {
  const [old, next] = [pathTexts(before), pathTexts(after)];
  const isChanged = (path: string) => old[path] !== next[path];
  if (![...Object.keys(old), ...Object.keys(next)].some(isChanged)) return undefined;
  const cut = (document: Doc) => {
    const paths = Object.entries(document.paths).filter(([path]) => isChanged(path));
    return withReachableSchemas({ ...document, paths: Object.fromEntries(paths) });
  };
  return [cut(before), cut(after)];
}

/** Removes component schemas that no path refers to. */
function withReachableSchemas(document: Doc): Doc {
  const { schemas, parameters } = document.components;
  const reached = new Set<string>();
  const visit = (text: string) => {
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (reached.has(name)) continue;
      reached.add(name);
      visit(JSON.stringify(schemas[name]));
    }
  };
  visit(JSON.stringify([document.paths, parameters]));
  const kept = Object.entries(schemas).filter(([name]) => reached.has(name));
  const components = { ...document.components, schemas: Object.fromEntries(kept) };
  return { ...document, components };
}

/** Returns the text of each path, with references resolved and the security of the document. */
function pathTexts({ paths, security, components }: Doc): Record<string, string> {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as Record<string, unknown>;
    const own = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, resolve(item)]));
    if (typeof $ref !== "string") return own;
    const [, , kind = "", name = ""] = $ref.split("/");
    const target = (components as unknown as Record<string, Record<string, unknown>>)[kind]?.[name];
    return [$ref, resolve(target), own];
  };
  const texts = Object.entries(paths).map(([path, item]) => {
    return [path, JSON.stringify([resolve(item), security])] as const;
  });
  return Object.fromEntries(texts);
}
