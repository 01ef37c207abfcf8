import { existsSync } from "node:fs";
import { basename, join, relative } from "node:path";
import {
  type CompilerHost,
  compile,
  createSourceFile,
  formatDiagnostic,
  NodeHost,
  type Program,
} from "@typespec/compiler";
import { ScriptError } from "../run-script.ts";
import { parseDocument } from "./document.ts";
import type { ScriptedExample } from "./examples.ts";
import { checkLists, markedAsList } from "./lists.ts";

const EMITTER = "typespec-webhooks";
const FOLDER = "spec/examples";

/**
 * Compiles `spec/`. The emitter writes to memory, so no partial output reaches the disk.
 *
 * @param examples are added to those of `spec/examples`
 * @returns The document as JSON; its `x-requirements` name claims too.
 * @throws {ScriptError} A line for each problem of the contract.
 */
export async function compileContract(
  root: string,
  examples: readonly ScriptedExample[],
): Promise<string> {
  const files = new Map<string, string>();
  const host: CompilerHost = {
    ...withExamples(NodeHost, join(root, FOLDER), examples),
    mkdirp: async () => undefined,
    writeFile: async (path, content) => void files.set(basename(path), content),
  };
  const program = await compileOrExplain(host, join(root, "spec/main.tsp"), {
    emit: [EMITTER],
    options: {
      [EMITTER]: {
        "emitter-output-dir": join(root, "generated"),
        "examples-dir": join(root, FOLDER),
        "requirements-file": join(root, "spec/requirements.yaml"),
      },
    },
  });
  const json = files.get("openapi.json");
  // Warnings of the compiler count as errors.
  if (program.diagnostics.length > 0 || !json) throw new ScriptError(describe(program, root));
  checkLists(parseDocument(json), markedAsList(program));
  return json;
}

/** Names where an example of an event or operation comes from: a script, or else a file. */
export type SourceOf = (of: string, name: string) => string;

export function sourcesOf(scripted: readonly ScriptedExample[]): SourceOf {
  return (of, name) => {
    const example = scripted.find((one) => one.of === of && one.name === name);
    return example
      ? `src/world/scripts.ts: ${example.script}: ${of}/${name}`
      : `spec/examples/${of}/${name}.json`;
  };
}

/** A host whose folder of examples also has those of scripts. */
function withExamples(
  host: CompilerHost,
  dir: string,
  examples: readonly ScriptedExample[],
): CompilerHost {
  const texts = new Map(
    examples.map(({ of, name, summary, value }) => {
      return [join(dir, of, `${name}.json`), JSON.stringify({ summary, value })];
    }),
  );
  if (texts.size < examples.length) {
    throw new ScriptError(["scripts/generate/examples.ts: two examples of a body have one name"]);
  }
  const taken = [...texts.keys()].filter((path) => existsSync(path));
  if (taken.length > 0) {
    const rename = "a script makes an example of this name: choose another one";
    throw new ScriptError(taken.map((path) => `${FOLDER}/${relative(dir, path)}: ${rename}`));
  }
  const inside = (path: string) => [...texts.keys()].filter((file) => file.startsWith(`${path}/`));
  const folder = { isDirectory: () => true, isFile: () => false };
  return {
    ...host,
    stat: (path) => (inside(path).length > 0 ? Promise.resolve(folder) : host.stat(path)),
    readDir: async (path) => {
      const added = inside(path).map((file) => relative(path, file).split("/")[0] ?? "");
      const found = await host.readDir(path).catch(() => []);
      return [...new Set([...found, ...added])];
    },
    readFile: async (path) => {
      const text = texts.get(path);
      return text === undefined ? host.readFile(path) : createSourceFile(text, path);
    },
  };
}

/** Compiles, and shortens errors thrown by an emitter: they start with a page about bug reports. */
async function compileOrExplain(...call: Parameters<typeof compile>): Promise<Program> {
  try {
    return await compile(...call);
  } catch (error) {
    const cause = error instanceof Error ? /^(?:\w*Error): .*$/m.exec(String(error.message)) : null;
    throw new ScriptError([`spec: cannot emit the contract: ${cause?.[0] ?? String(error)}`]);
  }
}

/** A line for each diagnostic of a program. */
function describe(program: Program, root: string): string[] {
  // Report an unknown name once: errors that it causes mention the compiler's ErrorType.
  const isUnknown = program.diagnostics.some(({ code }) => code === "invalid-ref");
  const shown = program.diagnostics.filter(
    ({ message }) => !isUnknown || !message.includes("<ErrorType>"),
  );
  const lines = shown.map((diagnostic) =>
    formatDiagnostic(diagnostic, { pretty: false, pathRelativeTo: root })
      .trim()
      .replaceAll(`${root}/`, ""),
  );
  return lines.length > 0 ? lines : ["spec/main.tsp: the emitter wrote no document"];
}
