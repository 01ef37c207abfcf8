import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { withBanner } from "./banner.ts";

/**
 * Renders the TypeScript types of the document, by openapi-typescript. The one place that knows it:
 * whatever replaces it has to give `paths`, `webhooks`, `components` and `operations`.
 */
export async function renderTypes(openapiJson: string): Promise<string> {
  const ast = await openapiTS(withShownTypes(openapiJson), {
    silent: true,
    transform: (schema) => {
      const { "x-extensible-enum": shown, "x-leads-to": path } = schema as Record<string, unknown>;
      if (typeof path === "string") return linkTo(path, schema.type === "array");
      if (!Array.isArray(shown)) return undefined;
      const isNullable = Array.isArray(schema.type) && schema.type.includes("null");
      return openSet(shown, isNullable);
    },
  });
  // A remark of the tool on how it works, in the midst of our documentation.
  const remark = " (enum property replaced by openapi-typescript)";
  return withBanner(`${astToString(ast).replaceAll(remark, "")}${LINK_TO}`);
}

/**
 * The document with each open type as it is shown: `unknown` would be of less use to a reader of
 * the types.
 */
function withShownTypes(openapiJson: string): string {
  const document = JSON.parse(openapiJson, (_key, value) => {
    const type = value?.["x-extensible-type"];
    return type === undefined ? value : { ...value, type };
  });
  return JSON.stringify(document);
}

/** What the types of links are made of. The symbol is not exported: no value ever has it. */
const LINK_TO = `
declare const leadsTo: unique symbol;

/**
 * A link of which the contract says where it leads: the path of the GET operation that answers with
 * what it leads to. Just a \`Link\` when it runs, and one that is written by hand is one too.
 */
export interface LinkTo<Path extends keyof paths> {
    /** @description The path, relative to the base address: it starts with one slash. */
    href: string;
    /** Never there: it only tells the types of links apart. */
    readonly [leadsTo]?: Path;
}

/** The path that a link leads to by its type: \`never\` for a plain \`Link\` and for no link. */
export type TargetOf<Link> = Link extends { readonly [leadsTo]?: infer Path }
    ? typeof leadsTo extends keyof Link ? Path & keyof paths : never
    : never;
`;

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
