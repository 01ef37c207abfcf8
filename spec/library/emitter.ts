import {
  type EmitContext,
  emitFile,
  listServices,
  NoTarget,
  resolvePath,
} from "@typespec/compiler";
import { getOpenAPI3 } from "@typespec/openapi3";
import { stringify } from "yaml";
import { REQUIREMENTS_EXTENSION } from "./decorators.ts";
import type { Document } from "./document.ts";
import { addExamples, readExamples } from "./examples.ts";
import { type EmitterOptions, reportDiagnostic } from "./lib.ts";
import { refuseLostLinks } from "./links.ts";
import { readRequirementIds } from "./requirements.ts";
import { dropUnusedSchemas, simplifySchemas } from "./schemas.ts";
import { separateWebhooks } from "./webhooks.ts";

/**
 * Writes `openapi.yaml` and `openapi.json`: what `@typespec/openapi3` makes of the program as
 * OpenAPI 3.1, with webhooks in a section of their own, nullable and open types in their shortest
 * form, examples from files, and the ids of all requirements.
 */
export async function $onEmit(context: EmitContext<EmitterOptions>): Promise<void> {
  const { program } = context;
  const [record] = await getOpenAPI3(program, {
    "openapi-versions": ["3.1.0"],
    "omit-unreachable-types": true,
    "operation-id-strategy": "explicit-only",
    "experimental-parameter-examples": "data",
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
    servers,
    tags,
    security,
    ...separateWebhooks(paths),
    components,
    ...rest,
  };
  for (const server of servers ?? []) {
    if (Object.keys(server.variables ?? {}).length === 0) delete server.variables;
  }
  refuseLostLinks(program, document);
  simplifySchemas(document);
  dropUnusedSchemas(document);
  const examplesDir = context.options["examples-dir"];
  if (examplesDir) addExamples(program, document, await readExamples(program, examplesDir));
  const requirementsFile = context.options["requirements-file"];
  const ids = requirementsFile && (await readRequirementIds(program, requirementsFile));
  if (ids) document[REQUIREMENTS_EXTENSION] = ids;
  if (program.compilerOptions.noEmit || program.hasError()) return;

  const json = JSON.stringify(document, null, 2);
  const write = (name: string, content: string) =>
    emitFile(program, { path: resolvePath(context.emitterOutputDir, name), content });
  await write("openapi.json", `${json}\n`);
  // The parsed JSON shares no objects, so no YAML anchors appear: few readers support them. Many
  // readers are of YAML 1.1, where an unquoted timestamp or `no` is not a string.
  const yaml = stringify(JSON.parse(json), {
    lineWidth: 0,
    blockQuote: "literal",
    compat: "yaml-1.1",
  });
  await write("openapi.yaml", yaml);
}
