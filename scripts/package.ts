/**
 * `npm run check:package`: packs the package, checks it with publint and arethetypeswrong, and
 * checks that the links in its Markdown pages point to packed files. Prints the result of each
 * check. The exit status is 1 if there are findings.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deadLinks } from "./package-links.ts";
import { pack, ROOT } from "./package-tarball.ts";
import { runScript } from "./run-script.ts";
import { TempWorkspace } from "./temp-workspace.ts";

const LINTERS = [
  { program: "publint", args: ["--strict"] },
  // The package supports neither CommonJS nor module resolution without `exports`.
  {
    program: "attw",
    args: ["--profile", "esm-only", "--format", "ascii", "--no-emoji", "--no-color"],
  },
];

async function main(): Promise<number> {
  parseArgs();
  const workspace = new TempWorkspace();
  const { file, packedBytes, unpackedBytes, paths } = await pack(workspace);
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  console.log(
    `${paths.length} files, ${kilobytes(packedBytes)}, unpacked ${kilobytes(unpackedBytes)}`,
  );
  const dead = deadLinks(paths);
  console.log(dead.length === 0 ? "links: no findings" : `dead links: ${dead.join(", ")}`);
  let failures = dead.length;
  for (const { program, args } of LINTERS) {
    const bin = join(ROOT, "node_modules/.bin", program);
    const { status, stdout, stderr } = await workspace.run(bin, [file, ...args], { cwd: ROOT });
    console.log(`${program}: ${status === 0 ? "no findings" : `\n${stdout}${stderr}`}`);
    if (status !== 0) failures += 1;
  }
  return failures > 0 ? 1 : 0;
}

await runScript(
  {
    name: "check:package",
    summary: "packs the package, and checks it with publint and arethetypeswrong",
  },
  main,
);
