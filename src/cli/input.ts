import { createReadStream } from "node:fs";
import { access, constants, readFile, stat } from "node:fs/promises";
import { FileError, reasonOf, type TxfeedError, UsageError } from "../errors.ts";

/** Something to read: a file, or standard input. */
export interface Input {
  /** The file as it was called; `-` for standard input. */
  readonly name: string;
  /** Reads it. Throws a TxfeedError `file` where that fails. */
  readonly read: () => AsyncGenerator<Buffer>;
}

/** At least one. */
export type Inputs = readonly [Input, ...Input[]];

const STDIN = "-";
const CHUNK_BYTES = 1_000_000;

/**
 * The inputs that are named; standard input where none is. Rejects with a TxfeedError: `file` where
 * one can't be read, before any is; `usage` where standard input is named twice.
 */
export async function inputsNamed(names: readonly string[]): Promise<Inputs> {
  const [first = STDIN, ...others] = names;
  const wanted = [first, ...others];
  if (wanted.filter((name) => name === STDIN).length > 1) {
    throw new UsageError("standard input ('-') can be read only once");
  }
  for (const name of wanted) if (name !== STDIN) await refuseUnreadable(name);
  return [inputOf(first), ...others.map(inputOf)];
}

function inputOf(name: string): Input {
  return { name, read: () => read(name) };
}

async function refuseUnreadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    throw unreadable(file, error);
  }
  if ((await stat(file)).isDirectory()) {
    throw new FileError(`${file} can't be read: it is a folder`);
  }
}

/** The text of a small file. Rejects with a TxfeedError `file` when it can't be read. */
export async function textOf(file: string): Promise<string> {
  await refuseUnreadable(file);
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function* read(name: string): AsyncGenerator<Buffer> {
  try {
    yield* name === STDIN ? process.stdin : createReadStream(name, { highWaterMark: CHUNK_BYTES });
  } catch (error) {
    throw unreadable(name === STDIN ? "standard input" : name, error);
  }
}

function unreadable(name: string, error: unknown): TxfeedError {
  const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const why = isMissing ? "there is no such file" : reasonOf(error);
  return new FileError(`${name} can't be read: ${why}`, { cause: error });
}
