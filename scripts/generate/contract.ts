import { basename, join } from "node:path";
import {
  type CompilerHost,
  compile,
  formatDiagnostic,
  NodeHost,
  type Program,
} from "@typespec/compiler";
import { ScriptError } from "../run-script.ts";
import { parseDocument } from "./document.ts";
import { checkLists, markedAsList } from "./lists.ts";

const EMITTER = "typespec-webhooks";

/**
 * Compiles `spec/`. The emitter writes to memory, so no partial output reaches the disk.
 *
 * @returns The document as JSON; its `x-requirements` name claims too.
 * @throws {ScriptError} A line for each problem of the contract.
 */
export async function compileContract(root: string): Promise<string> {
  const files = new Map<string, string>();
  const host: CompilerHost = {
    ...NodeHost,
    mkdirp: async () => undefined,
    writeFile: async (path, content) => void files.set(basename(path), content),
  };
  const program = await compileOrExplain(host, join(root, "spec/main.tsp"), {
    emit: [EMITTER],
    options: {
      [EMITTER]: {
        "emitter-output-dir": join(root, "generated"),
        "examples-dir": join(root, "spec/examples"),
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
