import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { ROOT } from "../document.ts";
import { startNode } from "./program.ts";

/**
 * Creates projects in which the package and the packages of the checkout are installed. The exports
 * of the package lead to the sources, because a checkout is not built.
 *
 * @param dir an empty folder
 * @param names the names of the projects' folders in `dir`
 */
export async function createProjects(dir: string, names: readonly string[]): Promise<void> {
  await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const installed = join(dir, "installed");
  await writePackage(join(installed, "txfeed"));
  for (const name of names) {
    await mkdir(join(dir, name));
    await symlink(installed, join(dir, name, "node_modules"));
    await writeFile(join(dir, name, "package.json"), JSON.stringify({ type: "module" }));
  }
}

async function writePackage(dir: string): Promise<void> {
  await mkdir(join(dir, "dist"), { recursive: true });
  for (const folder of ["src", "conformance", "generated"]) {
    await symlink(join(ROOT, folder), join(dir, "dist", folder));
  }
  const sources = Object.entries(packageJson.exports).map(([subpath, target]) => {
    const file = typeof target === "string" ? target : target.default;
    return [subpath, file.replace(/\.js$/, ".ts")];
  });
  const content = { name: "txfeed", type: "module", exports: Object.fromEntries(sources) };
  await writeFile(join(dir, "package.json"), JSON.stringify(content));
}

/**
 * Type-checks TypeScript and JavaScript files of projects by strict options, in one run.
 *
 * @param dir the folder of the projects
 * @returns the output of tsc, which is empty without errors, and its exit status
 */
export async function typecheck(
  dir: string,
  files: readonly string[],
): Promise<{ stdout: string; status: number | null }> {
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ allowJs: true, checkJs: true, target: "ES2024", types: ["node"] },
    ...{ lib: ["ES2024", "DOM", "DOM.Iterable", "ESNext.Array", "ESNext.Disposable"] },
    ...{ module: "ESNext", moduleResolution: "Bundler", moduleDetection: "force" },
  };
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout, status } = await startNode([tsc, "-p", dir], { cwd: dir }).ended;
  return { stdout, status };
}
