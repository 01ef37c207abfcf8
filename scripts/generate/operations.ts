import { withBanner } from "./banner.ts";
import { type Document, type NamedOperation, operationsOf, responseSchemas } from "./document.ts";

/** Renders the table of operations and the types of their JSON responses. */
export function renderOperations(document: Document): string {
  return withBanner(`
import type { components } from "./types.ts";

/** The static facts about an operation. */
export interface OperationInfo {
  /** The operationId in the OpenAPI document. */
  readonly id: string;
  readonly method: "GET" | "PATCH" | "POST";
  /** The path below the base address, with parameters in braces. */
  readonly path: string;
  /** A short description. */
  readonly summary: string;
  /** Whether the operation needs an access token. */
  readonly secured: boolean;
}

/** Every operation in the order of the contract, by method and path. */
export const operations = {
${operationsOf(document).map(renderInfo).join("\n")}
} as const satisfies Record<string, OperationInfo>;

/** The method and path of an operation, such as \`GET /cards/{id}\`. */
export type OperationKey = keyof typeof operations;

/** The JSON body of each operation's response, by status. Unspecified bodies are omitted. */
export interface ResponseBodies {
${responseSchemas(document).map(renderResponse).join("\n")}
}
`);
}

function renderInfo({ key, method, path, operation }: NamedOperation): string {
  const info = {
    id: operation.operationId,
    method,
    path,
    summary: operation.summary,
    secured: operation.security === undefined,
  };
  return `  ${JSON.stringify(key)}: ${JSON.stringify(info)},`;
}

function renderResponse([key, schema]: [string, string]): string {
  return `  ${JSON.stringify(key)}: { 200: components["schemas"]["${schema}"] };`;
}
