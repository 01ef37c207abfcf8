/**
 * `npm run check:package`: packs the package as it would be published, and has publint and
 * arethetypeswrong look at it. The links of its pages have to lead to files of the package. A line
 * each, and what they found; exit status 1 where one objects.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deadLinks } from "./package-links.ts";
import { pack, ROOT } from "./package-tarball.ts";
import { runScript } from "./run-script.ts";
import { TempWorkspace } from "./temp-workspace.ts";

const LINTERS = [
  { program: "publint", args: ["--strict"] },
  // CommonJS is not served, and neither is what resolved modules before exports were.
  {
    program: "attw",
    args: ["--profile", "esm-only", "--format", "ascii", "--no-emoji", "--no-color"],
  },
];

async function main(): Promise<number> {
  parseArgs();
  const workshop = new TempWorkspace();
  const { file, packedBytes, unpackedBytes, paths } = await pack(workshop);
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  console.log(
    `${paths.length} files, ${kilobytes(packedBytes)}, unpacked ${kilobytes(unpackedBytes)}`,
  );
  const dead = deadLinks(paths);
  console.log(
    dead.length === 0 ? "links: nothing to object" : `links to nothing: ${dead.join(", ")}`,
  );
  let failures = dead.length;
  for (const { program, args } of LINTERS) {
    const bin = join(ROOT, "node_modules/.bin", program);
    const { status, stdout, stderr } = await workshop.run(bin, [file, ...args], { cwd: ROOT });
    console.log(`${program}: ${status === 0 ? "nothing to object" : `\n${stdout}${stderr}`}`);
    if (status !== 0) failures += 1;
  }
  return failures > 0 ? 1 : 0;
}

await runScript("check:package", main);
