import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { basename, dirname, isAbsolute } from "node:path";
import { FileError, reasonOf, type TxfeedError } from "../errors.ts";

/** The target of an output, after following all symbolic links. */
export type OutputTarget =
  /** A regular file; `stats` is undefined when it does not exist yet. */
  | { readonly kind: "file"; readonly path: string; readonly stats: Stats | undefined }
  /** A character device or a named pipe. */
  | { readonly kind: "stream"; readonly path: string; readonly stats: Stats }
  /** A descriptor that the process already has, such as /dev/stdout or /dev/fd/3. */
  | { readonly kind: "descriptor"; readonly descriptor: number };

/** The limit of Linux. */
const MAX_LINKS = 40;

/** The folders with the process's own descriptors. */
const DESCRIPTOR_FOLDERS = ["/dev/fd", "/proc/self/fd"];

/**
 * Follows the symbolic links of an output's name, even if the file does not exist yet.
 *
 * @throws {TxfeedError} `file` if the target can't be written.
 */
export function targetOf(file: string): OutputTarget {
  let path = file;
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    if (/(^|[/\\])$/.test(path)) throw new FileError(`"${file}" is not a file`);
    const folder = realFolderOf(file, dirname(path));
    const descriptor = descriptorIn(folder, basename(path));
    if (descriptor !== undefined) return { kind: "descriptor", descriptor };
    path = `${folder}/${basename(path)}`;
    const stats = statsOf(file, path);
    if (!stats?.isSymbolicLink()) return targetAt(file, path, stats);
    const to = readlinkSync(path);
    path = isAbsolute(to) ? to : `${folder}/${to}`;
  }
  throw unwritable(file, "its symbolic links form a loop");
}

/** Whether two names have the same target. A name without a target equals only itself. */
export function isSameTarget(a: string, b: string): boolean {
  try {
    const [one, other] = [targetOf(a), targetOf(b)];
    if (one.kind === "descriptor") {
      return other.kind === "descriptor" && one.descriptor === other.descriptor;
    }
    return other.kind !== "descriptor" && one.path === other.path;
  } catch {
    return a === b;
  }
}

/** The error for an output that can't be written. */
export function unwritable(file: string, why: string, cause?: unknown): TxfeedError {
  return new FileError(`${file} can't be written: ${why}`, { cause });
}

function targetAt(file: string, path: string, stats: Stats | undefined): OutputTarget {
  if (!stats || stats.isFile()) return { kind: "file", path, stats };
  if (stats.isFIFO() || stats.isCharacterDevice()) return { kind: "stream", path, stats };
  const what = stats.isDirectory() ? "folder" : stats.isSocket() ? "socket" : "block device";
  throw new FileError(`"${file}" is not a file: it is a ${what}`);
}

/** Uses the C library, because `realpathSync` removes `..` before it follows links. */
function realFolderOf(file: string, folder: string): string {
  try {
    const real = realpathSync.native(folder);
    return real === "/" ? "" : real;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ELOOP") throw unwritable(file, "its symbolic links form a loop", error);
    throw unwritable(file, "its folder is missing or not writable", error);
  }
}

function statsOf(file: string, path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unwritable(file, reasonOf(error), error);
  }
}

function descriptorIn(folder: string, name: string): number | undefined {
  if (!/^\d{1,9}$/.test(name)) return undefined;
  const isOwn = DESCRIPTOR_FOLDERS.some((one) => {
    try {
      return realpathSync.native(one) === folder;
    } catch {
      return false;
    }
  });
  return isOwn ? Number(name) : undefined;
}
