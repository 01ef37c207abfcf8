import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ScriptError } from "./run-script.ts";
import type { TempWorkspace } from "./temp-workspace.ts";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Returns the version of a devDependency. */
export function versionOf(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return devDependencies[name];
}

/** The package as published. */
interface Tarball {
  readonly file: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** The files in it, by their paths. */
  readonly paths: readonly string[];
}

/**
 * Builds and packs the package.
 *
 * @throws {ScriptError} The build or `npm pack` fails; the lines have the output.
 */
export async function pack(workspace: TempWorkspace): Promise<Tarball> {
  await runOrThrow(workspace, process.execPath, [join(ROOT, "scripts/build.ts")], ROOT);
  const flags = ["--ignore-scripts", "--json", "--pack-destination", workspace.dir];
  const stdout = await runOrThrow(workspace, "npm", ["pack", ...flags], ROOT);
  const [packed] = Object.values<PackedJson>(JSON.parse(stdout));
  if (!packed) throw new ScriptError(["npm pack created no file"]);
  const { filename, size, unpackedSize, files } = packed;
  return {
    file: join(workspace.dir, filename),
    packedBytes: size,
    unpackedBytes: unpackedSize,
    paths: files.map(({ path }) => path),
  };
}

/** npm 11 prints an array of these; npm 12 prints them by package name. */
interface PackedJson {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Runs a program and returns its output. Throws a ScriptError if it fails. */
export async function runOrThrow(
  workspace: TempWorkspace,
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  const { status, stdout, stderr } = await workspace.run(command, args, {
    cwd,
    timeoutMs: 300_000,
  });
  if (status === 0) return stdout;
  const lines = [`${command} ${args.join(" ")}: exit status ${status}`, stdout + stderr];
  throw new ScriptError(lines);
}
