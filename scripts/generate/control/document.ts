import { join } from "node:path";
import { NodeHost } from "@typespec/compiler";
import { getOpenAPI3 } from "@typespec/openapi3";
import type { Document as EmittedDocument } from "../../../spec/library/document.ts";
import { dropUnusedSchemas, simplifySchemas } from "../../../spec/library/schemas.ts";
import { ScriptError } from "../../run-script.ts";
import { compileOrExplain, describe } from "../contract.ts";
import {
  type Document,
  type Operation,
  operationsOf,
  type Schema,
  schemaName,
} from "../document.ts";

/** The extension that names the list with the values of a scalar; it is not emitted. */
const VALUES = "x-values";

/** The values that the generator adds to the TypeSpec of the control API. */
interface KnownValues {
  readonly events: readonly string[];
  readonly requirements: readonly string[];
}

/**
 * Compiles `spec/sandbox/` to the OpenAPI document of the control API. It has all models, also
 * those that no operation refers to; {@link servedDocument} drops these.
 *
 * @throws {ScriptError} with a line for each error in `spec/sandbox/`
 */
export async function compileControl(root: string, values: KnownValues): Promise<Document> {
  const file = join(root, "spec/sandbox/main.tsp");
  const program = await compileOrExplain(NodeHost, file, { noEmit: true });
  const [record] = await getOpenAPI3(program, {
    "openapi-versions": ["3.1.0"],
    "operation-id-strategy": "explicit-only",
  });
  if (record && !record.versioned) program.reportDiagnostics(record.diagnostics);
  if (program.diagnostics.length > 0 || !record || record.versioned) {
    throw new ScriptError(describe(program, root));
  }
  // Copied, because the emitter's document shares objects.
  const emitted = JSON.parse(JSON.stringify(record.document)) as EmittedDocument;
  simplifySchemas(emitted);
  for (const server of emitted.servers ?? []) delete server.variables;
  const document = emitted as unknown as Document;
  addValues(document, values);
  for (const { key, operation } of operationsOf(document))
    finishOperation(document, key, operation);
  return withClosedObjects(document);
}

/** The document that the sandbox serves, without the schemas that no operation refers to. */
export function servedDocument(document: Document): string {
  const served = structuredClone(document);
  dropUnusedSchemas(served as unknown as EmittedDocument);
  return `${JSON.stringify(served, null, 2)}\n`;
}

/** The schema name of an operation's body, if it has one. */
export function bodySchema({ requestBody }: Operation): string | undefined {
  const { $ref } = requestBody?.content["application/json"]?.schema ?? {};
  return $ref && schemaName($ref);
}

/** The success status, and the schema of its body, if it has one. */
export function successOf({ responses }: Operation): { status: number; schema?: Schema } {
  const [status = "", response] = Object.entries(responses).find(([name]) => /^2/.test(name)) ?? [];
  const schema = Object.values(response?.content ?? {})[0]?.schema;
  return { status: Number(status), ...(schema && { schema }) };
}

/** The verb of an operation's path. */
export function verbOf(path: string): string | undefined {
  return /^\/verbs\/([a-z-]+)$/.exec(path)?.[1];
}

function addValues(document: Document, { events, requirements }: KnownValues): void {
  const verbs = operationsOf(document).flatMap(({ path }) => verbOf(path) ?? []);
  const lists: Record<string, readonly string[]> = { events, requirements, verbs };
  for (const schema of Object.values(document.components.schemas)) {
    const list = (schema as Record<string, unknown>)[VALUES];
    if (typeof list !== "string") continue;
    delete (schema as Record<string, unknown>)[VALUES];
    schema.enum = [...(lists[list] ?? [])];
  }
}

function finishOperation(document: Document, key: string, operation: Operation): void {
  operation.operationId = key.toLowerCase().replaceAll(/[{}]/g, "").replaceAll(/[ /]+/g, "-");
  const body = operation.requestBody as { required?: boolean } | undefined;
  const name = bodySchema(operation);
  const { required = [] } = document.components.schemas[name ?? ""] ?? {};
  if (body) body.required = required.length > 0;
}

/** Replaces the output of `...Record<never>` by `additionalProperties: false`. */
function withClosedObjects(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    if (value?.unevaluatedProperties?.not === undefined) return value;
    const { unevaluatedProperties: _, ...schema } = value;
    return { ...schema, additionalProperties: false };
  });
}
