import { withBanner } from "../banner.ts";
import { type Document, operationsOf } from "../document.ts";
import { bodySchema, successOf, verbOf } from "./document.ts";
import { hasQuery, inputSchemas, queryName } from "./inputs.ts";

/** Renders `control-operations.ts`: the operations, the verbs and the schemas of their inputs. */
export function renderControlOperations(document: Document): string {
  const operations = operationsOf(document).map(({ key, path, operation }) => {
    const body = bodySchema(operation);
    const { status } = successOf(operation);
    const query = hasQuery(operation) ? queryName(path) : undefined;
    return [key, { status, ...(body && { body }), ...(query && { query }) }] as const;
  });
  const verbs = operationsOf(document).flatMap(({ path, operation }) => {
    const name = verbOf(path);
    if (name === undefined) return [];
    const summary = operation.summary.charAt(0).toLowerCase() + operation.summary.slice(1);
    const requirements = (operation as { "x-requirements"?: string[] })["x-requirements"] ?? [];
    return [[name, { summary, requirements, params: bodySchema(operation) }] as const];
  });
  return withBanner(`
import type { ControlInputs, ControlOperations, VerbName } from "./control-types.ts";
import type { RequirementId } from "./requirements.ts";

/** An operation of the control API. */
export interface ControlOperation {
  /** The status of its response. */
  readonly status: number;
  /** The name of the schema of its body, if it has one. */
  readonly body?: keyof ControlInputs;
  /** The name of the schema of its query, if it has one. */
  readonly query?: keyof ControlInputs;
}

/** A verb of the control API. */
export interface VerbInfo {
  /** Describes the operation in a few words. */
  readonly summary: string;
  readonly requirements: readonly RequirementId[];
  /** The name of the schema of its parameters. */
  readonly params: keyof ControlInputs;
}

/** A JSON Schema without \`$ref\`. */
export interface InputSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly required?: readonly string[];
  readonly items?: InputSchema;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  /** Describes the valid values if the keywords are hard to read. */
  readonly "x-takes"?: string;
  readonly [keyword: string]: unknown;
}

/** Each operation by its method and path. */
export const controlOperations: { readonly [Key in keyof ControlOperations]: ControlOperation } =
${table(operations)};

/** Each verb, in the order in which lists show them. */
export const verbInfo: { readonly [Name in VerbName]: VerbInfo } =
${table(verbs)};

/** The schema of each body and query. */
export const inputSchemas =
${table([...inputSchemas(document)])} as const satisfies {
  readonly [Name in keyof ControlInputs]: InputSchema;
};
`);
}

/** Renders an object literal with a line for each entry. */
function table(entries: readonly (readonly [name: string, value: unknown])[]): string {
  const lines = entries.map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return `{\n${lines.join("\n")}\n}`;
}
