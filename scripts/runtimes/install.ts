import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrThrow, versionOf } from "../package-tarball.ts";
import type { TempWorkspace } from "../temp-workspace.ts";

const CONSUMER = fileURLToPath(new URL("consumer", import.meta.url));

/** Installs the packages of the runtimes and returns their folder. */
export function installRuntimes(
  workspace: TempWorkspace,
  packages: Readonly<Record<string, string>>,
): Promise<string> {
  // Newer npm runs no install scripts by default; these scripts install the programs.
  const allowScripts = Object.fromEntries(
    ["node", ...Object.keys(packages)].map((name) => [name, true]),
  );
  return install(workspace, "runtimes", { dependencies: packages, allowScripts });
}

/** Installs the package with only undici, for its export, and the types of Node.js. */
export async function installPackage(workspace: TempWorkspace, tarball: string): Promise<string> {
  const needed = ["undici", "@types/node"].map((name) => [name, versionOf(name)]);
  const dependencies = { txfeed: `file:${tarball}`, ...Object.fromEntries(needed) };
  const dir = await install(workspace, "project", { dependencies });
  await cp(CONSUMER, dir, { recursive: true });
  return dir;
}

async function install(workspace: TempWorkspace, name: string, manifest: object): Promise<string> {
  const dir = join(workspace.dir, name);
  await mkdir(dir);
  const content = JSON.stringify({ private: true, type: "module", ...manifest });
  await writeFile(join(dir, "package.json"), content);
  const flags = ["--no-audit", "--no-fund", "--prefer-offline"];
  await runOrThrow(workspace, "npm", ["install", ...flags], dir);
  return dir;
}
