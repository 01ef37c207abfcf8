import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrThrow, versionOf } from "../package-tarball.ts";
import type { TempWorkspace } from "../temp-workspace.ts";

const CONSUMER = fileURLToPath(new URL("consumer", import.meta.url));

/** Installs the packages that bring the runtimes. Resolves to the folder that they are in. */
export function installRuntimes(
  workshop: TempWorkspace,
  packages: Readonly<Record<string, string>>,
): Promise<string> {
  // Newer npm runs no package's scripts unless it is told to; these put the programs in place.
  const allowScripts = Object.fromEntries(
    ["node", ...Object.keys(packages)].map((name) => [name, true]),
  );
  return install(workshop, "runtimes", { dependencies: packages, allowScripts });
}

/** Installs the package, and beside it only undici for its export and the types of Node. */
export async function installPackage(workshop: TempWorkspace, tarball: string): Promise<string> {
  const needed = ["undici", "@types/node"].map((name) => [name, versionOf(name)]);
  const dependencies = { txfeed: `file:${tarball}`, ...Object.fromEntries(needed) };
  const dir = await install(workshop, "project", { dependencies });
  await cp(CONSUMER, dir, { recursive: true });
  return dir;
}

async function install(workshop: TempWorkspace, name: string, manifest: object): Promise<string> {
  const dir = join(workshop.dir, name);
  await mkdir(dir);
  const content = JSON.stringify({ private: true, type: "module", ...manifest });
  await writeFile(join(dir, "package.json"), content);
  const flags = ["--no-audit", "--no-fund", "--prefer-offline"];
  await runOrThrow(workshop, "npm", ["install", ...flags], dir);
  return dir;
}
