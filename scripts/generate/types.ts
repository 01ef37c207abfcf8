import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { withBanner } from "./banner.ts";

/**
 * Renders the TypeScript types of the document, by openapi-typescript. The one place that knows it:
 * whatever replaces it has to give `paths`, `webhooks`, `components` and `operations`.
 */
export async function renderTypes(openapiJson: string): Promise<string> {
  const ast = await openapiTS(openapiJson, {
    silent: true,
    transform: (schema) => {
      const shown: unknown = (schema as Record<string, unknown>)["x-extensible-enum"];
      if (!Array.isArray(shown)) return undefined;
      const isNullable = Array.isArray(schema.type) && schema.type.includes("null");
      return openSet(shown, isNullable);
    },
  });
  // A remark of the tool on how it works, in the midst of our documentation.
  const remark = " (enum property replaced by openapi-typescript)";
  return withBanner(astToString(ast).replaceAll(remark, ""));
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
