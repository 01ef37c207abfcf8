import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The tested checkout. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

export interface Media {
  schema: Schema;
  examples?: Record<string, { summary: string; value: Record<string, unknown> }>;
}

export interface Parameter {
  $ref?: string;
  name?: string;
  in?: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

export interface Response {
  $ref?: string;
  description: string;
  headers?: Record<string, { required?: boolean; description?: string; schema: Schema }>;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  tags?: string[];
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
  "x-requirements"?: string[];
}

export interface Document {
  openapi: string;
  info: { description: string; version: string };
  tags: { name: string; description: string }[];
  "x-requirements"?: string[];
  servers: { url: string; variables?: Record<string, { default: string }> }[];
  security: Record<string, unknown>[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses?: Record<string, Response>;
    securitySchemes: Record<string, Record<string, unknown>>;
  };
}

/** Reads the generated document. Tests may change their copy. */
export function readDocument(): Document {
  return JSON.parse(readFileSync(`${ROOT}generated/openapi.json`, "utf8"));
}

/** An example of the contract with its event or operation. */
export interface ContractExample {
  /** The event, or the operation by method and path. */
  of: string;
  kind: "event" | "response";
  case: string;
  summary: string;
  value: Record<string, unknown>;
}

/** Every example of the contract. */
export function readExamples({ paths, webhooks }: Document = readDocument()): ContractExample[] {
  const cases = (of: string, kind: ContractExample["kind"], media?: Media) =>
    Object.entries(media?.examples ?? {}).map(([name, { summary, value }]) => {
      return { of, kind, case: name, summary, value };
    });
  const events = Object.entries(webhooks).flatMap(([event, { post }]) =>
    cases(event, "event", post?.requestBody?.content["application/json"]),
  );
  const responses = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([verb, { responses }]) =>
      Object.entries(responses).flatMap(([, { content }]) =>
        cases(`${verb.toUpperCase()} ${path}`, "response", content?.["application/json"]),
      ),
    ),
  );
  return [...events, ...responses];
}
