import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { componentSchemas, schemaOf } from "../src/sandbox/control/document.ts";
import { verbs } from "../src/world/verbs/index.ts";

/** The modules with the types that {@link renderControlTypes} replaces, and their new content. */
export async function controlTypes(): Promise<Readonly<Record<string, string>>> {
  return {
    "src/world/types": await renderControlTypes(),
    "src/world/sandbox-account": 'export type { SandboxAccount } from "./types.ts";\n',
    "src/sandbox/control/types": 'export type * from "../../world/types.ts";\n',
  };
}

/**
 * Renders the published types of the verbs and of the control API from its document: those of the
 * source need zod, which consumers do not have, and show no descriptions.
 */
async function renderControlTypes(): Promise<string> {
  const schemas = {
    ...componentSchemas(),
    VerbParams: tableOf("params", "The parameters of each verb."),
    VerbResults: tableOf("result", "The result of each verb."),
  };
  const info = { title: "", version: "" };
  const source = { openapi: "3.1.0", info, paths: {}, components: { schemas } } as OpenAPI3;
  const nodes = await openapiTS(source, {
    silent: true,
    immutable: true,
    defaultNonNullable: false,
    transformProperty: allowUndefined,
  });
  const [holder] = nodes.filter(ts.isInterfaceDeclaration).flatMap(({ members }) => [...members]);
  const { type } = holder as ts.PropertySignature;
  const shapes = [...(type as ts.TypeLiteralNode).members] as ts.PropertySignature[];
  return shapes
    .map((shape) => declarationOf(shape, Object(schemas)[nameOf(shape)].description))
    .join("\n")
    .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, "$1")
    .replaceAll("@description ", "")
    .replaceAll(/^ *\* @enum \{string\}\n/gm, "");
}

const nameOf = ({ name }: ts.PropertySignature) => (name as ts.Identifier).text;

/** An interface or a type alias for a property of `components.schemas`. */
function declarationOf(shape: ts.PropertySignature, description: string | undefined): string {
  const { type = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword) } = shape;
  const text = astToString(type).trim();
  const declaration = ts.isTypeLiteralNode(type)
    ? `interface ${nameOf(shape)} ${text}`
    : `type ${nameOf(shape)} = ${text};`;
  return `${description === undefined ? "" : `/** ${description} */\n`}export ${declaration}\n`;
}

/** An object with a property for each verb. */
function tableOf(part: "params" | "result", description: string): object {
  const properties = Object.values(verbs).map((verb) => [verb.name, schemaOf(verb[part])]);
  return {
    ...{ type: "object", description, required: Object.keys(verbs) },
    properties: Object.fromEntries(properties),
  };
}

/** For consumers that compile with `exactOptionalPropertyTypes`. */
function allowUndefined(property: ts.PropertySignature): ts.PropertySignature {
  const { modifiers, name, questionToken, type } = property;
  if (!questionToken || !type) return property;
  const nothing = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);
  const either = ts.factory.createUnionTypeNode([type, nothing]);
  return ts.factory.updatePropertySignature(property, modifiers, name, questionToken, either);
}
