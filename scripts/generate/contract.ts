import { basename, join } from "node:path";
import {
  type CompilerHost,
  compile,
  formatDiagnostic,
  NodeHost,
  type Program,
} from "@typespec/compiler";
import { GenerateError } from "./error.ts";

const EMITTER = "typespec-webhooks";

/**
 * Compiles `spec/` and lets the emitter write into memory, so that nothing half-done reaches the
 * disk.
 *
 * @returns the texts of `openapi.yaml` and `openapi.json`. Rejects with a GenerateError that has a
 * line for each thing that is wrong with the contract.
 */
export async function compileContract(root: string): Promise<{ yaml: string; json: string }> {
  const files = new Map<string, string>();
  const host: CompilerHost = {
    ...NodeHost,
    mkdirp: async () => undefined,
    writeFile: async (path, content) => void files.set(basename(path), content),
  };
  const program = await compile(host, join(root, "spec/main.tsp"), {
    emit: [EMITTER],
    options: {
      [EMITTER]: {
        "emitter-output-dir": join(root, "generated"),
        "examples-dir": join(root, "spec/examples"),
      },
    },
  });
  const yaml = files.get("openapi.yaml");
  const json = files.get("openapi.json");
  // A warning of the compiler is worth a look as much as an error: a contract is clean or it is
  // not.
  if (program.diagnostics.length > 0 || !yaml || !json) {
    throw new GenerateError(describe(program, root));
  }
  return { yaml, json };
}

function describe(program: Program, root: string): string[] {
  const lines = program.diagnostics.map((diagnostic) =>
    formatDiagnostic(diagnostic, { pretty: false, pathRelativeTo: root }).trim(),
  );
  return lines.length > 0 ? lines : ["spec/main.tsp: the emitter wrote no document"];
}
