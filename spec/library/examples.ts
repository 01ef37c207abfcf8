import { joinPaths, NoTarget, type Program } from "@typespec/compiler";
import type { Content, Document, Example, Operation } from "./document.ts";
import { reportDiagnostic } from "./lib.ts";

type Cases = Record<string, Example>;

/**
 * Reads a folder of examples, `<name>/<case>.json`, in the order of their names.
 *
 * @returns The cases by name. A diagnostic reports each file that can't be read.
 */
export async function readExamples(program: Program, dir: string): Promise<Map<string, Cases>> {
  const examples = new Map<string, Cases>();
  for (const name of (await readFolder(program, dir)) ?? []) {
    const files = await readFolder(program, joinPaths(dir, name));
    if (!files) continue;
    const cases: Cases = {};
    for (const file of files.filter((file) => file.endsWith(".json"))) {
      const { text, path } = await program.host.readFile(joinPaths(dir, name, file));
      const example = parseExample(program, path, text);
      if (example) cases[file.slice(0, -".json".length)] = example;
    }
    examples.set(name, cases);
  }
  return examples;
}

/**
 * Lists the names in a folder in order, without hidden ones. Reports a path that is not a folder.
 */
async function readFolder(program: Program, dir: string): Promise<string[] | undefined> {
  const { host } = program;
  const isFolder = await host.stat(dir).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return refuse(program, dir, "not a folder of examples");
  return (await host.readDir(dir)).filter((name) => !name.startsWith(".")).sort();
}

function refuse(program: Program, file: string, reason: string): undefined {
  reportDiagnostic(program, {
    code: "example-unreadable",
    format: { file, reason },
    target: NoTarget,
  });
}

function parseExample(program: Program, file: string, text: string): Example | undefined {
  try {
    const example = JSON.parse(text);
    return "value" in example
      ? example
      : refuse(program, file, "an example needs a member `value`");
  } catch (error) {
    return refuse(program, file, error instanceof Error ? error.message : String(error));
  }
}

/**
 * Adds the cases of each name to the body of its webhook or to the successful response of its
 * operation, in each document that has it. Path parameters get their values from the self link of
 * the first case.
 */
export function addExamples(
  program: Program,
  documents: readonly Document[],
  examples: Map<string, Cases>,
): void {
  const bodies = documents.map((document) => bodiesOf(document));
  for (const [dir, cases] of examples) {
    const media = bodies.flatMap((body) => body.get(dir)?.["application/json"] ?? []);
    for (const one of media) one.examples = cases;
    if (media.length > 0) continue;
    reportDiagnostic(program, { code: "example-orphan", format: { dir }, target: NoTarget });
  }
  for (const { paths } of documents) {
    for (const [path, item] of Object.entries(paths)) {
      for (const operation of Object.values(item)) {
        const [first] = Object.values(examples.get(operation.operationId ?? "") ?? {});
        if (first) addPathExamples(path, operation, first);
      }
    }
  }
}

/** The bodies with examples: of each webhook by name, of each operation by its operationId. */
function bodiesOf({ webhooks = {}, paths }: Document): Map<string, Content> {
  const received = Object.entries(webhooks).map(
    ([name, { post }]) => [name, post?.requestBody?.content] as const,
  );
  const returned = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .map((operation) => [operation.operationId ?? "", successfulContent(operation)] as const);
  return new Map(
    [...received, ...returned].flatMap(([name, body]) => (body ? [[name, body]] : [])),
  );
}

/** Takes the examples of path parameters from the self link of an example response. */
function addPathExamples(path: string, { parameters = [] }: Operation, { value }: Example): void {
  const { _links } = Object(value) as { _links?: { self?: { href?: string } } };
  const segments = _links?.self?.href?.split("/") ?? [];
  const template = path.split("/");
  const isSelf =
    segments.length === template.length &&
    template.every((part, at) => part.startsWith("{") || part === segments[at]);
  if (!isSelf) return;
  for (const parameter of parameters) {
    if (parameter.in !== "path") continue;
    const at = template.indexOf(`{${parameter.name}}`);
    if (at >= 0) parameter.example ??= segments[at];
  }
}

function successfulContent(operation: Operation): Content | undefined {
  const [, response] =
    Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2")) ?? [];
  return response?.content;
}
