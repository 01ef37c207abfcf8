import {
  type EmitContext,
  emitFile,
  listServices,
  NoTarget,
  resolvePath,
} from "@typespec/compiler";
import { getOpenAPI3 } from "@typespec/openapi3";
import { stringify } from "yaml";
import type { Document } from "./document.ts";
import { addExamples, readExamples } from "./examples.ts";
import { type EmitterOptions, reportDiagnostic } from "./lib.ts";
import { refuseLostLinks } from "./links.ts";
import { dropUnusedSchemas, simplifySchemas } from "./schemas.ts";
import { separateWebhooks } from "./webhooks.ts";

const JSON_SCHEMA_2020_12 = "https://json-schema.org/draft/2020-12/schema";

/**
 * Writes `openapi.yaml` and `openapi.json`: what `@typespec/openapi3` makes of the program as
 * OpenAPI 3.1, with webhooks in a section of their own, nullable and open types in their shortest
 * form, examples from files, and the schema dialect named (readers fall back to older drafts
 * without it).
 */
export async function $onEmit(context: EmitContext<EmitterOptions>): Promise<void> {
  const { program } = context;
  const [record] = await getOpenAPI3(program, {
    "openapi-versions": ["3.1.0"],
    "omit-unreachable-types": true,
    "operation-id-strategy": "explicit-only",
  });
  if (!record || record.versioned || listServices(program).length !== 1) {
    reportDiagnostic(program, { code: "one-service", target: NoTarget });
    return;
  }
  program.reportDiagnostics(record.diagnostics);
  const emitted = record.document as unknown as Document;
  const { openapi, info, servers, tags, security, paths, components, ...rest } = emitted;
  const document: Document = {
    openapi,
    info,
    jsonSchemaDialect: JSON_SCHEMA_2020_12,
    servers,
    tags,
    security,
    ...separateWebhooks(paths),
    components,
    ...rest,
  };
  refuseLostLinks(program, document);
  simplifySchemas(document);
  dropUnusedSchemas(document);
  const examplesDir = context.options["examples-dir"];
  if (examplesDir) addExamples(program, document, await readExamples(program, examplesDir));
  if (program.compilerOptions.noEmit || program.hasError()) return;

  const json = JSON.stringify(document, null, 2);
  const write = (name: string, content: string) =>
    emitFile(program, { path: resolvePath(context.emitterOutputDir, name), content });
  await write("openapi.json", `${json}\n`);
  // By way of JSON: objects that the emitter shares would else become YAML anchors, which few
  // readers like.
  await write("openapi.yaml", stringify(JSON.parse(json), { lineWidth: 0, blockQuote: "literal" }));
}
