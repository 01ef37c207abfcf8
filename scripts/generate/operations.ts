import { withBanner } from "./banner.ts";
import { type Document, type NamedOperation, operationsOf, responseSchemas } from "./document.ts";

/** Renders the table of operations, and the type of each one's JSON answer. */
export function renderOperations(document: Document): string {
  return withBanner(`
import type { components } from "./types.ts";

/** What is known of an operation before it is called. */
export interface OperationInfo {
  /** Its id in the OpenAPI document. */
  readonly id: string;
  readonly method: "GET" | "PATCH" | "POST";
  /** Its path below the base address, with parameters in braces. */
  readonly path: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Whether it takes an access token. */
  readonly secured: boolean;
}

/** Every operation, in the order of the contract, by method and path. */
export const operations = {
${operationsOf(document).map(renderInfo).join("\n")}
} as const satisfies Record<string, OperationInfo>;

/** An operation by its method and path, such as \`GET /cards/{id}\`. */
export type OperationKey = keyof typeof operations;

/** The JSON body of each operation's answer, by status; what is not specified is left out. */
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
