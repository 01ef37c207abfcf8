import { spawnSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { ROOT } from "./document.ts";

/** An example of the docs. */
interface Snippet {
  /** The name of its file. */
  readonly file: string;
  readonly code: string;
}

/** Writes snippets into a folder, as modules that import the sources of the package. */
export async function writeSnippets(dir: string, snippets: readonly Snippet[]): Promise<void> {
  await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
  await writeFile(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  for (const { file, code } of snippets) await writeFile(join(dir, file), withSources(code));
}

/**
 * Type-checks written snippets, by strict options unless `options` changes them.
 *
 * @returns the output of tsc, which is empty without errors, and its exit status.
 */
export async function typecheckSnippets(
  dir: string,
  snippets: readonly Snippet[],
  options: object = {},
): Promise<{ stdout: string; status: number | null }> {
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ target: "ES2024", lib: ["ES2024", "DOM", "DOM.Iterable", "ESNext.Array"] },
    ...{ module: "NodeNext", types: ["node"], ...options },
  };
  const files = snippets.map(({ file }) => file);
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", dir], { encoding: "utf8" });
  return { stdout, status };
}

/** Replaces imports of the package by imports of the sources, because a checkout is not built. */
function withSources(code: string): string {
  return code.replaceAll(/"txfeed(\/[^"]+)"/g, (_match, subpath: string) => {
    const target = packageJson.exports[`.${subpath}` as "./contract"].default;
    return JSON.stringify(join(ROOT, target.replace("./dist/", "").replace(/\.js$/, ".ts")));
  });
}
