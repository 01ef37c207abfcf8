import {
  type EmitContext,
  emitFile,
  listServices,
  type ModelProperty,
  NoTarget,
  type Program,
  resolvePath,
} from "@typespec/compiler";
import { getOpenAPI3 } from "@typespec/openapi3";
import { parse, stringify } from "yaml";
import { REQUIREMENTS_EXTENSION } from "./decorators.ts";
import type { Document } from "./document.ts";
import { addExamples, readExamples } from "./examples.ts";
import { $lib, type EmitterOptions, reportDiagnostic } from "./lib.ts";
import { dropUnusedSchemas, simplifySchemas } from "./schemas.ts";
import { separateWebhooks } from "./webhooks.ts";

/**
 * Writes `openapi.yaml` and `openapi.json`: the OpenAPI 3.1 output of `@typespec/openapi3`, with
 * webhooks in a section of their own, nullable and open types in their shortest form, examples from
 * files, and the ids of all requirements.
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
  checkLinkTargets(program, document);
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
  await write("openapi.yaml", yamlOf(json));
}

/** Renders a document in YAML, from its JSON. */
export function yamlOf(json: string): string {
  // Parsed JSON shares no objects, so the output has no YAML anchors, which few readers support.
  // Many readers use YAML 1.1, where an unquoted timestamp or `no` is not a string.
  return stringify(JSON.parse(json), {
    lineWidth: 0,
    blockQuote: "literal",
    compat: "yaml-1.1",
  });
}

/** Reports each `@leadsTo` whose path has no GET operation in the document. */
function checkLinkTargets(program: Program, { paths }: Document): void {
  for (const [type, path] of program.stateMap($lib.stateKeys.leadsTo)) {
    const property = type as ModelProperty;
    // A spread property is reported in its original model.
    if (property.sourceProperty || paths[path]?.["get"]) continue;
    reportDiagnostic(program, { code: "leads-nowhere", format: { path }, target: property });
  }
}

/**
 * Reads the ids of a catalogue of requirements, in order: the `id` of each entry of its list
 * `requirements`.
 *
 * @returns Undefined if the file is not a catalogue; a diagnostic reports it.
 */
async function readRequirementIds(program: Program, file: string): Promise<string[] | undefined> {
  try {
    const { text } = await program.host.readFile(file);
    const { requirements } = parse(text) ?? {};
    if (!Array.isArray(requirements)) throw new Error("needs a list of requirements");
    return requirements.flatMap((entry) => (typeof entry?.id === "string" ? [entry.id] : []));
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const format = { file, reason };
    reportDiagnostic(program, { code: "requirements-unreadable", format, target: NoTarget });
    return undefined;
  }
}
