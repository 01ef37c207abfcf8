import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const LOCK = new URL("package-lock.json", import.meta.url);
const INSTALLED_LOCK = new URL("node_modules/.installed-lock.json", import.meta.url);

/** Installs the packages of `bench/package.json` if they are missing or stale. */
export async function installPackages(): Promise<void> {
  const lock = await readFile(LOCK, "utf8");
  const installed = await readFile(INSTALLED_LOCK, "utf8").catch(() => undefined);
  if (installed === lock) return;
  console.error("bench: installing the packages of bench/package.json");
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await promisify(execFile)("npm", ["ci", ...flags], { cwd: FOLDER });
  await writeFile(INSTALLED_LOCK, lock);
}

/** Vitest calls this before the tests of the benchmark. */
export const setup = installPackages;

if (import.meta.main) await installPackages();
