import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

const FOLDER = fileURLToPath(new URL("../src/sandbox/", import.meta.url));

const OPTIONS = {
  absWorkingDir: FOLDER,
  entryPoints: ["page/app/page.tsx", "page/app/link.ts", "sdk/app/sdk.ts", "sdk/app/open-form.ts"],
  outdir: FOLDER,
  write: false,
  bundle: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  format: "esm",
  target: "es2023",
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 200,
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Bundles the scripts of the sandbox's pages and of its SDK: the text of each by its name. */
export async function bundlePage(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build(OPTIONS);
  return new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
}
