import { isList, navigateProgram, type Program } from "@typespec/compiler";
import { getOperationId } from "@typespec/openapi";
import { ScriptError } from "../run-script.ts";
import {
  type Document,
  type Operation,
  operationsOf,
  propertyOf,
  resolved,
  type Schema,
  successSchema,
} from "./document.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly schema?: Schema;
}

/** A problem of a list operation, and its remedy. */
type Problem = readonly [wrong: string, remedy: string];

/** The page model and the parameters of each style, from `spec/conventions/collections.tsp`. */
const STYLES = [
  { page: "CursorPage", spread: "CursorParameters", parameters: ["cursor"] },
  { page: "OffsetPage", spread: "OffsetParameters", parameters: ["offset"] },
  { page: "EitherStylePage", spread: "EitherStyleParameters", parameters: ["cursor", "offset"] },
];

const SPREAD = "spread CursorParameters, OffsetParameters or EitherStyleParameters";
const USE_PAGE = "declare its page with 'is CursorPage', 'is OffsetPage' or 'is EitherStylePage'";

/**
 * Checks that every list operation has the same shape, because clients, the sandbox and the
 * conformance suite page through all lists in the same way.
 *
 * @param marked The ids of the operations with `@list`.
 * @throws {ScriptError} A line for each problem: the operation, the problem and the remedy.
 */
export function checkLists(document: Document, marked: ReadonlySet<string | undefined>): void {
  const lines = operationsOf(document).flatMap(({ key, path, method, operation }) => {
    const { operationId = "no operationId" } = operation;
    const isMarked = marked.has(operationId);
    if (method !== "GET" || !(isMarked || isLikeList(document, path, operation))) return [];
    const problems = problemsOf(document, operation, isMarked);
    const name = `spec: ${key} (${operationId})`;
    return problems.map(([wrong, remedy]) => `${name} is a list but ${wrong}: ${remedy}`);
  });
  if (lines.length > 0) throw new ScriptError(lines);
}

/** The ids of the operations with `@list`. */
export function markedAsList(program: Program): Set<string | undefined> {
  const marked = new Set<string | undefined>();
  navigateProgram(program, {
    operation: (operation) => {
      if (isList(program, operation)) marked.add(getOperationId(program, operation));
    },
  });
  return marked;
}

/** Whether an operation looks like a list. The path of a single resource ends in a parameter. */
function isLikeList(document: Document, path: string, operation: Operation): boolean {
  if (operation.operationId?.startsWith("list")) return true;
  const names = parametersOf(document, operation).map(({ name }) => name);
  if (["limit", "cursor", "offset"].some((name) => names.includes(name))) return true;
  const page = successSchema(document, operation);
  if (page?.type === "array") return true;
  const holders = [page, propertyOf(document, page, "_embedded")];
  const fields = holders.flatMap((holder) => Object.values(holder?.properties ?? {}));
  return !path.endsWith("}") && fields.some((field) => isArrayOfObjects(document, field));
}

function problemsOf(document: Document, operation: Operation, isMarked: boolean): Problem[] {
  const problems: Problem[] = [];
  const { operationId } = operation;
  if (!operationId?.startsWith("list")) {
    problems.push(["its operationId does not start with 'list'", 'set @operationId("list...")']);
  }
  if (!isMarked) problems.push(["has no @list", "add @list to the operation"]);
  const names = parametersOf(document, operation).map(({ name }) => name);
  const limit = parametersOf(document, operation).find(({ name }) => name === "limit")?.schema;
  if (!limit) problems.push(["has no parameter 'limit'", SPREAD]);
  else if (limit.type !== "integer" || limit.minimum !== 1 || limit.maximum !== 100) {
    problems.push(["its 'limit' is not an integer from 1 to 100", SPREAD]);
  }
  const own = names.filter((name) => name === "cursor" || name === "offset").sort();
  const style = STYLES.find(({ parameters }) => parameters.join() === own.join());
  if (!style) problems.push(["has neither 'cursor' nor 'offset'", SPREAD]);
  return [...problems, ...pageProblems(document, operation, style)];
}

function pageProblems(
  document: Document,
  operation: Operation,
  style: (typeof STYLES)[number] | undefined,
): Problem[] {
  const page = successSchema(document, operation);
  if (page?.type !== "object") return [["its 200 is not an object with a page", USE_PAGE]];
  const problems: Problem[] = [];
  const links = propertyOf(document, page, "_links");
  const has = (holder: Schema | undefined, name: string) =>
    holder?.properties?.[name] !== undefined;
  if (!isRequired(page, "_links") || !isRequired(links, "self")) {
    problems.push(["its page does not require _links.self", USE_PAGE]);
  }
  if (!has(links, "next") || isRequired(links, "next")) {
    problems.push(["its page has no optional _links.next", USE_PAGE]);
  }
  if (style) {
    const { page: wanted, spread } = style;
    const actual = pageStyle(page, links);
    if (actual !== wanted) {
      problems.push([
        `its page has another style than ${spread}`,
        `declare its page with 'is ${wanted}'`,
      ]);
    }
  }
  return [...problems, ...itemProblems(document, page)];
}

/** Finds the page model by its style-specific fields. */
function pageStyle(page: Schema, links: Schema | undefined): string {
  if (page.properties?.["totalItems"] === undefined) return "CursorPage";
  const isRequiredStyle = isRequired(page, "totalItems") && isRequired(links, "first");
  return isRequiredStyle ? "OffsetPage" : "EitherStylePage";
}

function itemProblems(document: Document, page: Schema): Problem[] {
  const embedded = propertyOf(document, page, "_embedded");
  if (!isRequired(page, "_embedded") || !embedded) {
    return [["its page does not require _embedded", USE_PAGE]];
  }
  const fields = Object.entries(embedded.properties ?? {});
  const [name, items] = fields[0] ?? [];
  if (
    fields.length !== 1 ||
    !items ||
    items.type !== "array" ||
    !isRequired(embedded, name ?? "")
  ) {
    return [["its _embedded is not one required array", "embed only the array of items"]];
  }
  return [];
}

export function parametersOf(document: Document, operation: Operation): Parameter[] {
  const { parameters = [] } = operation as { parameters?: Parameter[] };
  return parameters.map((parameter) => resolved(document, parameter));
}

function isRequired(schema: Schema | undefined, name: string): boolean {
  return schema?.required?.includes(name) ?? false;
}

function isArrayOfObjects(document: Document, schema: Schema): boolean {
  if (schema.type !== "array" || !schema.items) return false;
  const { type, oneOf, anyOf } = resolved(document, schema.items);
  return type === "object" || oneOf !== undefined || anyOf !== undefined;
}
