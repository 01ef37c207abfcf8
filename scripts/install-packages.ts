import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

/**
 * Installs the packages of a folder with a `package.json` of its own, if they are missing or stale.
 *
 * @param folder The absolute path of the folder.
 */
export async function installPackages(folder: string): Promise<void> {
  const lock = await readFile(join(folder, "package-lock.json"), "utf8");
  const installedLock = join(folder, "node_modules/.installed-lock.json");
  const installed = await readFile(installedLock, "utf8").catch(() => undefined);
  if (installed === lock) return;
  const name = basename(folder);
  console.error(`${name}: installing the packages of ${name}/package.json`);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await promisify(execFile)("npm", ["ci", ...flags], { cwd: folder });
  await writeFile(installedLock, lock);
}
