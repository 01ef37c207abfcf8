import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { componentSchemas, schemaOf } from "../src/sandbox/control/document.ts";
import { verbs } from "../src/world/verbs/index.ts";

/**
 * Renders the published types of the control API from its document: those of
 * `src/sandbox/control/types.ts` need zod, which consumers do not have, and show no descriptions.
 */
export async function renderControlTypes(): Promise<string> {
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
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    transformProperty: allowUndefined,
  });
  return astToString(nodes)
    .replaceAll("@description ", "")
    .replaceAll(/^ *\* @enum \{string\}\n/gm, "")
    .replaceAll(/^export type (\w+) = components/gm, (line, name: keyof typeof schemas) => {
      const { description } = schemas[name] as { description?: string };
      return description === undefined ? line : `/** ${description} */\n${line}`;
    });
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
