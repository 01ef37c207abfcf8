import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { type Document, referenced } from "./document.ts";

/**
 * Renders the TypeScript types of a document, by openapi-typescript. No other file imports it: a
 * replacement has to give `paths`, `webhooks`, `components` and `operations`. The caller adds the
 * generic type `LinkTo`, which links with a known target are of.
 */
export async function documentTypes(document: Document): Promise<string> {
  const ast = await openapiTS(withShownTypes(document), {
    silent: true,
    transform: (schema) => {
      const { "x-extensible-enum": shown, "x-leads-to": path } = schema as Record<string, unknown>;
      if (typeof path === "string") return linkTo(path, schema.type === "array");
      if (!Array.isArray(shown)) return undefined;
      const isNullable = Array.isArray(schema.type) && schema.type.includes("null");
      return openSet(shown, isNullable);
    },
  });
  // openapi-typescript adds this remark to the documentation.
  const remark = " (enum property replaced by openapi-typescript)";
  return astToString(ast).replaceAll(remark, "");
}

/**
 * Gives each open type its known type, because `unknown` says less to a reader. The body
 * of an error is not specified (ERR-02). openapi-fetch would type `content?: never` as
 * `undefined`, so these responses get a content of `unknown`.
 */
function withShownTypes(document: Document): string {
  const errors = sharedErrors(document);
  return JSON.stringify(document, (key, value) => {
    // openapi-typescript would read these files, even in data.
    const isReference = key === "$ref" || key === "externalValue";
    if (isReference && typeof value === "string" && /^[^#]/.test(value)) return undefined;
    if (key === "discriminator" && value?.mapping) {
      const targets = Object.entries(value.mapping);
      const own = targets.filter(([, target]) => !/^[^#].*\//s.test(String(target)));
      return { ...value, mapping: Object.fromEntries(own) };
    }
    const isError = (ERROR_STATUS.test(key) && value?.description) || errors.has(value);
    if (isError && !value.content) {
      return { ...value, content: { "*/*": {} } };
    }
    const type = value?.["x-extensible-type"];
    return type === undefined ? value : { ...value, type };
  });
}

const ERROR_STATUS = /^(?:[45]\d\d|default)$/;

/** The shared responses to which an error refers. */
function sharedErrors(document: Document): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  JSON.stringify(document, (key, value) => {
    const target = ERROR_STATUS.test(key) ? referenced(document, value?.$ref) : undefined;
    if (target) found.add(target.value);
    return value;
  });
  return found;
}

/** `LinkTo<"/cards/{id}">`, or an array of these. */
function linkTo(path: string, isArray: boolean): ts.TypeNode {
  const { factory } = ts;
  const target = factory.createLiteralTypeNode(factory.createStringLiteral(path));
  const link = factory.createTypeReferenceNode("LinkTo", [target]);
  return isArray ? factory.createArrayTypeNode(link) : link;
}

/** `"A" | "B" | (string & {})`: any string, with the shown ones offered by the editor. */
function openSet(shown: string[], isNullable: boolean): ts.TypeNode {
  const { factory } = ts;
  const anyString = factory.createParenthesizedType(
    factory.createIntersectionTypeNode([
      factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
      factory.createTypeLiteralNode([]),
    ]),
  );
  const literals = shown.map((value) =>
    factory.createLiteralTypeNode(factory.createStringLiteral(value)),
  );
  const nothing = isNullable ? [factory.createLiteralTypeNode(factory.createNull())] : [];
  return factory.createUnionTypeNode([...literals, anyString, ...nothing]);
}
