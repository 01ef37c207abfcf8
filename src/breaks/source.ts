import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FileError, reasonOf, TxfeedError, UsageError } from "../errors.ts";

const run = promisify(execFile);

const MAX_MIB = 16;
const MAX_BYTES = MAX_MIB * 1024 * 1024;
const TOO_LARGE = `it is larger than ${MAX_MIB} MiB`;
const NOT_REGULAR = "it is not a regular file";

/** The files that a document may refer to: those below a folder, on disk or in git. */
export interface Source {
  readonly folder: string;
  /** The name of the document, from the folder. */
  readonly document: string;
  /** Resolves symbolic links. */
  readonly real: (path: string) => Promise<string>;
  /** Reads a file, given its name from the folder. An error says only the reason. */
  readonly read: (name: string) => Promise<string>;
}

/** The files below a folder; by default the one of the document. */
export async function folderSource(file: string, top?: string): Promise<Source> {
  const path = await realpath(file);
  const folder = top === undefined ? dirname(path) : await realpath(top);
  return {
    ...{ folder, document: relative(folder, path), real: realpath },
    read: (name) => readRegular(join(folder, name)),
  };
}

/** The files of a git revision below the folder of the document that `GIT_REF:PATH` names. */
export function gitSource(reference: string): Source {
  const colon = reference.indexOf(":");
  const start = Math.max(colon, reference.lastIndexOf("/")) + 1;
  return {
    folder: `/${reference.slice(0, start)}`,
    document: reference.slice(start),
    real: async (path) => path,
    read: async (name) => {
      const path = reference.slice(colon + 1, start) + name;
      const top = path.startsWith(".") ? [] : ["--full-tree"];
      const args = ["-l", ...top, "--end-of-options", reference.slice(0, colon), path];
      const entry = await run("git", ["ls-tree", ...args]).catch(() => ({ stdout: "" }));
      const [mode = "", , , size] = entry.stdout.split(/\s+/);
      if (Number(size) > MAX_BYTES) throw new FileError(TOO_LARGE);
      // A symbolic link or a folder has another mode. Git reports a missing file.
      if (mode !== "" && !mode.startsWith("100")) throw new FileError(NOT_REGULAR);
      return readFromGit(reference.slice(0, start) + name);
    },
  };
}

/**
 * The text of a file in git.
 *
 * @param reference `GIT_REF:PATH`.
 * @param folder The folder to run git in; the current one by default.
 * @throws {TxfeedError} `file` if git can't show it.
 */
export async function readFromGit(reference: string, folder = "."): Promise<string> {
  try {
    const args = ["-C", folder, "show", "--end-of-options", reference];
    const { stdout } = await run("git", args, { maxBuffer: MAX_BYTES });
    return stdout;
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const [line = ""] = stderr.replace(/^fatal: /, "").split("\n");
    throw new FileError(`git can't show "${reference}": ${line || reasonOf(error)}`);
  }
}

/** Reads a regular file. A device has no end, and opening a pipe waits for its writer. */
async function readRegular(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) throw new FileError(NOT_REGULAR);
  // The stated size may be wrong: that of a file in /proc is 0.
  const bytes = Buffer.concat(await createReadStream(path, { end: MAX_BYTES }).toArray());
  if (bytes.length > MAX_BYTES) throw new FileError(TOO_LARGE);
  return bytes.toString();
}

/** The name of the file that a reference in the file `from` leads to, if it may. */
export async function findFile(source: Source, from: string, reference: string): Promise<string> {
  const { folder, real } = source;
  const isUrl = /^[a-z][a-z\d+.-]+:/i.test(reference);
  if (isUrl && !/^file:/i.test(reference)) throw new UsageError("only files are read");
  try {
    const target = isUrl ? fileURLToPath(reference) : decodeURIComponent(reference);
    const name = nameIn(folder, resolve(folder, dirname(from), target));
    return nameIn(folder, await real(join(folder, name)));
  } catch (error) {
    throw error instanceof TxfeedError ? error : new FileError("there is no such file");
  }
}

function nameIn(folder: string, path: string): string {
  const name = relative(folder, path);
  if (isAbsolute(name) || name.split(sep).some((part) => part.startsWith("."))) {
    throw new UsageError("it is hidden, or not below the document's folder");
  }
  if (!/\.(json|ya?ml)$/i.test(name)) throw new UsageError("only .json, .yaml and .yml are read");
  return name;
}
