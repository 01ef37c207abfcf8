import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, write, writeSync } from "node:fs";
import { access, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { reasonOf, type TxfeedError } from "../errors.ts";
import { harmless } from "../text.ts";
import { type OutputTarget, targetOf, unwritable } from "./output-target.ts";

/** The pause before retrying a pipe that is full or has no reader yet. */
const PAUSE_MS = 10;

/** How long a synchronous write waits for the reader of a pipe. */
const MAX_BLOCK_MS = 2_000;

const writeSome = promisify(write);

/**
 * Checks before any work that an output can be written.
 *
 * @throws {TxfeedError} `file` if it can't.
 */
export async function refuseUnwritable(file: string): Promise<void> {
  const target = targetOf(file);
  try {
    // Writing no bytes only checks the descriptor.
    if (target.kind === "descriptor") writeSync(target.descriptor, "");
    else if (target.stats) await access(target.path, constants.W_OK);
  } catch (error) {
    throw unwritable(file, reasonOf(error), error);
  }
  if (target.kind !== "file") return;
  try {
    await access(dirname(target.path), constants.W_OK);
  } catch (error) {
    throw unwritable(file, "its folder is missing or not writable", error);
  }
}

/**
 * Writes an output. A regular file is replaced atomically; a device, a pipe or a descriptor is
 * written directly.
 *
 * @throws {TxfeedError} `file` if that fails.
 */
export async function writeAtomically(file: string, content: string): Promise<void> {
  const staged = await stageFile(file, content);
  await staged.commit();
}

/**
 * Appends to an output. A reader that closes it early, as `head` does, is not an error.
 *
 * @throws {TxfeedError} `file` if that fails.
 */
export async function appendTo(file: string, content: string): Promise<void> {
  const output = await openForAppending(file);
  try {
    await output.write(content);
  } catch (error) {
    if (((error as TxfeedError).cause as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  } finally {
    output.close();
  }
}

/** Content that is ready to replace a file. */
export interface StagedFile {
  /**
   * Replaces the file.
   *
   * @throws {TxfeedError} `file` if that fails.
   */
  readonly commit: () => Promise<void>;
  /** Deletes the content unless it was committed. */
  readonly discard: () => Promise<void>;
}

/**
 * Writes content next to the file that it will replace, with the file's mode and owner. A device, a
 * pipe or a descriptor is written only by `commit`.
 *
 * @throws {TxfeedError} `file` if that fails.
 */
export async function stageFile(file: string, content: string): Promise<StagedFile> {
  const target = targetOf(file);
  if (target.kind !== "file") {
    return { commit: () => appendTo(file, content), discard: async () => undefined };
  }
  const temporary = `${dirname(target.path)}/.txfeed-${randomUUID()}.tmp`;
  const discard = () => rm(temporary, { force: true });
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      await discard();
      throw unwritable(file, reasonOf(error), error);
    }
  };
  await attempt(() => create(temporary, content, target));
  return { commit: () => attempt(() => rename(temporary, target.path)), discard };
}

async function create(
  temporary: string,
  content: string,
  { stats }: Extract<OutputTarget, { kind: "file" }>,
): Promise<void> {
  const handle = await open(temporary, "wx", stats ? 0o600 : 0o666);
  try {
    await handle.writeFile(content);
    if (!stats) return;
    // Only root may give a file to another user.
    await handle.chown(stats.uid, stats.gid).catch(() => undefined);
    await handle.chmod(stats.mode & 0o7777);
  } finally {
    await handle.close();
  }
}

/** An open output. */
export interface OpenOutput {
  /**
   * Writes a text. Resolves when all of it is written.
   *
   * @throws {TxfeedError} `file` if that fails.
   */
  readonly write: (text: string) => Promise<void>;
  readonly close: () => void;
}

/**
 * Opens or creates an output for appending.
 *
 * @throws {TxfeedError} `file` if that fails.
 */
export async function openForAppending(file: string): Promise<OpenOutput> {
  const target = targetOf(file);
  const retried = async <T>(operation: () => T | Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await operation();
      } catch (error) {
        if (!isWaiting(error, target)) throw unwritable(file, reasonOf(error), error);
        await setTimeout(PAUSE_MS);
      }
    }
  };
  const descriptor = await retried(() => opened(target, "a"));
  const write = async (text: string) => {
    let rest = bytesFor(target, text);
    while (rest.length > 0) {
      const { bytesWritten } = await retried(() => writeSome(descriptor, rest));
      rest = rest.subarray(bytesWritten);
    }
  };
  return { write, close: () => closed(target, descriptor) };
}

/** An open output with synchronous writes. */
export interface OpenOutputSync {
  /**
   * Writes a text.
   *
   * @throws {TxfeedError} `file` if that fails.
   */
  readonly write: (text: string) => void;
  readonly close: () => void;
}

/**
 * Opens an output and truncates it.
 *
 * @throws {TxfeedError} `file` if that fails.
 */
export function openForWritingSync(file: string): OpenOutputSync {
  const target = targetOf(file);
  const retried = <T>(operation: () => T): T => {
    const until = performance.now() + MAX_BLOCK_MS;
    for (;;) {
      try {
        return operation();
      } catch (error) {
        if (!isWaiting(error, target)) throw unwritable(file, reasonOf(error), error);
        if (performance.now() > until) throw unwritable(file, "nothing reads from this pipe");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
    }
  };
  const descriptor = retried(() => opened(target, "w"));
  const write = (text: string) => {
    let rest = bytesFor(target, text);
    while (rest.length > 0) rest = rest.subarray(retried(() => writeSync(descriptor, rest)));
  };
  return { write, close: () => closed(target, descriptor) };
}

/** Opens a target. Pipes do not block: a thread blocked in open() can't be interrupted. */
function opened(target: OutputTarget, flag: "a" | "w"): number {
  if (target.kind === "descriptor") return target.descriptor;
  if (target.kind === "file") return openSync(target.path, flag);
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  return openSync(target.path, O_WRONLY | O_NOCTTY | (target.stats.isFIFO() ? O_NONBLOCK : 0));
}

/** The bytes of a text, made harmless for a terminal, and for a log that a CI service reads. */
function bytesFor({ kind }: OutputTarget, text: string): Buffer {
  return Buffer.from(kind === "file" ? text : harmless(text));
}

function closed(target: OutputTarget, descriptor: number): void {
  if (target.kind !== "descriptor") closeSync(descriptor);
}

/** Whether a pipe is full (EAGAIN) or has no reader yet (ENXIO). */
function isWaiting(error: unknown, target: OutputTarget): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    code === "EAGAIN" || (code === "ENXIO" && target.kind === "stream" && target.stats.isFIFO())
  );
}
