import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../document.ts";

/** Bundles modules of this checkout for a browser. */
export async function bundle(...modules: string[]): Promise<string> {
  const imports = modules.map((name) => `export * from ${JSON.stringify(join(ROOT, name))};`);
  const { outputFiles } = await build({
    stdin: { contents: imports.join("\n"), resolveDir: ROOT },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
