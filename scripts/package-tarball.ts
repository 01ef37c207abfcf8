import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ScriptError } from "./run-script.ts";
import type { TempWorkspace } from "./temp-workspace.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The version that this checkout has of a package that it is developed with. */
export function versionOf(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return devDependencies[name];
}

/** The package as it would be published. */
export interface Tarball {
  readonly file: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** The files in it, by their paths. */
  readonly paths: readonly string[];
}

/** Builds the package and packs it. Throws a ScriptError with what was printed where it can't. */
export async function pack(workshop: TempWorkspace): Promise<Tarball> {
  await runOrThrow(workshop, process.execPath, [join(ROOT, "scripts/build.ts")], ROOT);
  const flags = ["--ignore-scripts", "--json", "--pack-destination", workshop.dir];
  const stdout = await runOrThrow(workshop, "npm", ["pack", ...flags], ROOT);
  const [packed] = Object.values<PackedJson>(JSON.parse(stdout));
  if (!packed) throw new ScriptError(["npm pack packed nothing"]);
  const { filename, size, unpackedSize, files } = packed;
  return {
    file: join(workshop.dir, filename),
    packedBytes: size,
    unpackedBytes: unpackedSize,
    paths: files.map(({ path }) => path),
  };
}

/** As npm 11 tells it in an array, and npm 12 by the package's name. */
interface PackedJson {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Runs a program that has to succeed, and gives what it printed. */
export async function runOrThrow(
  workshop: TempWorkspace,
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  const { status, stdout, stderr } = await workshop.run(command, args, { cwd, timeoutMs: 300_000 });
  if (status === 0) return stdout;
  const lines = [`${command} ${args.join(" ")}: exit status ${status}`, stdout + stderr];
  throw new ScriptError(lines);
}
