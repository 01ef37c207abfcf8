import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { BANNER } from "./banner.ts";

const CONTRACT_DIR = fileURLToPath(new URL("../../src/contract/", import.meta.url));

/**
 * Bundles a source, and the modules of `src/contract/` that it imports, into one module without
 * import, require and eval.
 */
export async function bundle(contents: string, sourcefile: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: CONTRACT_DIR, loader: "js", sourcefile },
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    minify: true,
    legalComments: "none",
    lineLimit: 120,
    banner: { js: `// ${BANNER}` },
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
