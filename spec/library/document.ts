/**
 * The parts of an OpenAPI 3.1 document that the emitter handles. The rest is passed through
 * unchanged.
 */
export interface Document {
  openapi: string;
  info: unknown;
  servers?: { url: string; variables?: object }[] | undefined;
  tags?: unknown;
  security?: unknown;
  paths: Record<string, PathItem>;
  webhooks?: Record<string, PathItem>;
  components?:
    | { schemas?: Record<string, Schema>; responses?: Record<string, Response> }
    | undefined;
  /** The ids of all requirements, in the order of the catalogue. */
  "x-requirements"?: string[];
}

export type PathItem = Record<string, Operation>;

export interface Operation {
  operationId?: string;
  parameters?: { name?: string; in?: string; example?: unknown }[];
  security?: object[];
  requestBody?: { content: Content };
  responses?: Record<string, Response>;
  [extension: `x-${string}`]: unknown;
}

export interface Response {
  $ref?: string;
  content?: Content;
  [keyword: string]: unknown;
}

export type Content = Record<string, { schema?: Schema; examples?: Record<string, Example> }>;

/** An OpenAPI Example Object. */
export interface Example {
  summary?: string;
  description?: string;
  value: unknown;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  [keyword: string]: unknown;
}
