import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const BUILD_SCRIPT = fileURLToPath(new URL("../scripts/build.ts", import.meta.url));
const PACKAGES = fileURLToPath(new URL("../node_modules", import.meta.url));

/** Builds the package into `dist` of a temporary folder, runs `use`, and removes the folder. */
export async function withBuiltPackage<Result>(use: (folder: string) => Promise<Result>) {
  const folder = await mkdtemp(join(tmpdir(), "txfeed-bench-"));
  try {
    // Without it, Node.js first tries to load each module as CommonJS.
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await symlink(PACKAGES, join(folder, "node_modules"));
    await run(process.execPath, [BUILD_SCRIPT, "--out", join(folder, "dist")]);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
