import {
  type EmitContext,
  emitFile,
  getNamespaceFullName,
  type Namespace,
  NoTarget,
  type Program,
  resolvePath,
} from "@typespec/compiler";
import { getOpenAPI3 } from "@typespec/openapi3";
import { isScalar, isSeq, parse, visit, Document as YamlDocument } from "yaml";
import { REQUIREMENTS_EXTENSION } from "./decorators.ts";
import type { Document } from "./document.ts";
import { addExamples, readExamples } from "./examples.ts";
import { $lib, type EmitterOptions, reportDiagnostic } from "./lib.ts";
import { shareResponses } from "./responses.ts";
import { dropUnusedSchemas, simplifySchemas } from "./schemas.ts";
import { separateWebhooks } from "./webhooks.ts";

/**
 * Writes `openapi.yaml` and `openapi.json`: the OpenAPI 3.1 output of `@typespec/openapi3`, with
 * webhooks in a section of their own, nullable and open types in their shortest form, examples from
 * files, and the ids of all requirements. If there are several services or versions, each file
 * name contains the service and the version, as with `@typespec/openapi3`.
 */
export async function $onEmit(context: EmitContext<EmitterOptions>): Promise<void> {
  const { program } = context;
  const emitted = await emittedDocuments(program);
  const documents = emitted.map(({ document }) => document);
  checkLinkTargets(program, documents);
  const examplesDir = context.options["examples-dir"];
  if (examplesDir) addExamples(program, documents, await readExamples(program, examplesDir));
  const requirementsFile = context.options["requirements-file"];
  const ids = requirementsFile && (await readRequirementIds(program, requirementsFile));
  if (ids) for (const document of documents) document[REQUIREMENTS_EXTENSION] = ids;
  if (program.compilerOptions.noEmit || program.hasError()) return;

  for (const { name, document } of emitted) {
    const json = JSON.stringify(document, null, 2);
    const write = (type: string, content: string) =>
      emitFile(program, {
        path: resolvePath(context.emitterOutputDir, `${name}.${type}`),
        content,
      });
    await write("json", `${json}\n`);
    await write("yaml", yamlOf(json));
  }
}

/** Emits a document for each service, or for each version of it, with its name. */
async function emittedDocuments(
  program: Program,
): Promise<{ readonly name: string; readonly document: Document }[]> {
  const records = await getOpenAPI3(program, {
    "openapi-versions": ["3.1.0"],
    "experimental-parameter-examples": "data",
  });
  return records.flatMap((record) => {
    const service = records.length > 1 ? `.${getNamespaceFullName(record.service.type)}` : "";
    return (record.versioned ? record.versions : [record]).map((one) => {
      program.reportDiagnostics(one.diagnostics);
      const version = "version" in one ? `.${one.version}` : "";
      const document = completed(program, record.service.type, one.document as never);
      return { name: `openapi${service}${version}`, document };
    });
  });
}

/** Completes a document of `@typespec/openapi3`. */
function completed(program: Program, service: Namespace, emitted: Document): Document {
  const { openapi, info, servers, tags, security, paths, components, ...rest } = emitted;
  const document: Document = {
    openapi,
    info,
    servers,
    tags,
    security,
    ...separateWebhooks(program, paths),
    components,
    ...rest,
  };
  for (const server of servers ?? []) {
    if (Object.keys(server.variables ?? {}).length === 0) delete server.variables;
  }
  shareResponses(program, service, paths, document);
  simplifySchemas(document);
  dropUnusedSchemas(document);
  return document;
}

/** Renders a document in YAML, from its JSON. */
export function yamlOf(json: string): string {
  // Parsed JSON shares no objects, so the output has no YAML anchors, which few readers support.
  // Many readers use YAML 1.1, where an unquoted timestamp or `no` is not a string.
  const document = new YamlDocument(JSON.parse(json), { compat: "yaml-1.1" });
  // Ids of requirements are for tools: a line for each would be a tenth of the document.
  visit(document, {
    Pair: (_key, { key, value }) => {
      if (isScalar(key) && key.value === REQUIREMENTS_EXTENSION && isSeq(value)) value.flow = true;
    },
  });
  return document.toString({
    lineWidth: 0,
    blockQuote: "literal",
    flowCollectionPadding: false,
  });
}

/** Reports each `@leadsTo` and `@orderBy` whose path has no GET operation in any document. */
function checkLinkTargets(program: Program, documents: readonly Document[]): void {
  for (const [type, path] of program.stateMap($lib.stateKeys.leadsTo)) {
    // A spread property is reported in its original model.
    const isCopy = type.kind === "ModelProperty" && type.sourceProperty !== undefined;
    if (isCopy || documents.some(({ paths }) => paths[path]?.["get"])) continue;
    reportDiagnostic(program, { code: "leads-nowhere", format: { path }, target: type });
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
