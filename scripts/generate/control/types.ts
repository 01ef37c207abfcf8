import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { withBanner } from "../banner.ts";
import { type Document, operationsOf, type Schema, schemaName } from "../document.ts";
import { bodySchema, successOf, verbOf } from "./document.ts";
import { hasQuery, inputSchemas, queryName, querySchemas } from "./inputs.ts";

/** Renders `control-types.ts`: a type for each schema, and tables of the inputs and operations. */
export async function renderControlTypes(document: Document): Promise<string> {
  const types = await schemaTypes(document);
  const inputs = [...inputSchemas(document).keys()].map((name) => `  readonly ${name}: ${name};`);
  return withBanner(`${types}
/** The type of each body and query. */
export interface ControlInputs {
${inputs.join("\n")}
}

/** The inputs and the response of each operation, by its method and path. */
export interface ControlOperations {
${operationsOf(document).map(operationType).join("\n")}
}

/** The parameters of each verb. */
export interface VerbParams {
${verbTypes(document, ({ operation }) => bodySchema(operation) ?? "undefined")}
}

/** The result of each verb. */
export interface VerbResults {
${verbTypes(document, ({ operation }) => `${typeOf(successOf(operation).schema)}["result"]`)}
}
`);
}

type Named = ReturnType<typeof operationsOf>[number];

function operationType({ key, path, operation }: Named): string {
  const body = bodySchema(operation) ?? "undefined";
  const query = hasQuery(operation) ? queryName(path) : "undefined";
  const response = typeOf(successOf(operation).schema);
  return `  ${JSON.stringify(key)}: { body: ${body}; query: ${query}; response: ${response} };`;
}

function verbTypes(document: Document, type: (named: Named) => string): string {
  return operationsOf(document)
    .flatMap((named) => {
      const name = verbOf(named.path);
      return name === undefined ? [] : [`  ${JSON.stringify(name)}: ${type(named)};`];
    })
    .join("\n");
}

/** The type of a response: a named schema, an array, a string, or none. */
function typeOf(schema: Schema | undefined): string {
  if (!schema) return "undefined";
  if (schema.$ref) return schemaName(schema.$ref);
  return schema.items ? `readonly ${typeOf(schema.items)}[]` : "string";
}

/** Renders an interface or alias for each schema of the document with openapi-typescript. */
async function schemaTypes(document: Document): Promise<string> {
  const queries = Object.fromEntries(querySchemas(document));
  const schemas = { ...document.components.schemas, ...queries };
  const { openapi, info } = document as unknown as OpenAPI3;
  const source = { openapi, info, paths: {}, components: { schemas } } as OpenAPI3;
  const nodes = await openapiTS(source, {
    silent: true,
    immutable: true,
    defaultNonNullable: false,
  });
  const components = nodes.find(
    (node): node is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(node) && node.name.text === "components",
  );
  const [first] = components?.members ?? [];
  const holder = first && ts.isPropertySignature(first) ? first.type : undefined;
  const members = holder && ts.isTypeLiteralNode(holder) ? holder.members : [];
  const text = astToString([...members].filter(ts.isPropertySignature).map(declarationOf));
  return text.replaceAll("@description ", "").replaceAll(/^ *\* @enum \{string\}\n/gm, "");
}

/** An exported interface or type alias for a member of `components.schemas`. */
function declarationOf(member: ts.PropertySignature): ts.Node {
  const { factory } = ts;
  const name = (member.name as ts.Identifier | ts.StringLiteral).text;
  const type = ts.transform(member.type as ts.TypeNode, [simplified]).transformed[0] as ts.TypeNode;
  const exported = [factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const declaration = ts.isTypeLiteralNode(type)
    ? factory.createInterfaceDeclaration(exported, name, [], [], type.members)
    : factory.createTypeAliasDeclaration(exported, name, [], type);
  return ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member));
}

/** Refers to schemas by name, and allows undefined for optional properties. */
const simplified: ts.TransformerFactory<ts.Node> = (context) => {
  const { factory } = context;
  const visit: ts.Visitor = (node) => {
    const name = referenceIn(node);
    if (name !== undefined) return factory.createTypeReferenceNode(name);
    const visited = ts.visitEachChild(node, visit, context);
    if (!ts.isPropertySignature(visited) || !visited.questionToken || !visited.type) return visited;
    const nothing = factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);
    const type = factory.createUnionTypeNode([visited.type, nothing]);
    const { modifiers, name: property, questionToken } = visited;
    return factory.updatePropertySignature(visited, modifiers, property, questionToken, type);
  };
  return (node) => ts.visitNode(node, visit) ?? node;
};

/** `Name` of `components["schemas"]["Name"]`. */
function referenceIn(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) {
    return undefined;
  }
  const { indexType } = node;
  return ts.isLiteralTypeNode(indexType) && ts.isStringLiteral(indexType.literal)
    ? indexType.literal.text
    : undefined;
}
