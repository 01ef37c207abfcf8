import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { access, constants, readFile, stat } from "node:fs/promises";
import { FileError, reasonOf, type TxfeedError, UsageError } from "../errors.ts";

/** A file or standard input. */
export interface Input {
  /** The file's name as given; `-` for standard input. */
  readonly name: string;
  /**
   * Reads it.
   *
   * @throws {TxfeedError} `file` if it can't be read.
   */
  readonly read: () => AsyncGenerator<Buffer>;
}

/** At least one input. */
type Inputs = readonly [Input, ...Input[]];

const STDIN = "-";
const CHUNK_BYTES = 1_000_000;

/**
 * Opens the named inputs; standard input if there is no name.
 *
 * @throws {TxfeedError} `file` if one can't be read, before any is read; `usage` if standard input
 * is named twice.
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
  if ((await stat(file)).isDirectory())
    throw new FileError(`${file} can't be read: it is a folder`);
}

/**
 * Reads a small file.
 *
 * @throws {TxfeedError} `file` if it can't be read.
 */
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

/** Longer lines are reported and skipped, to bound memory use. */
const MAX_LINE_BYTES = 100_000_000;

/** A line of an input: its text, or why it is unreadable. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: string };

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = "\ufeff";

/**
 * Splits NDJSON into lines, numbered from 1. Blank lines are counted and left out. Yields the lines
 * that each chunk completes, so that a live input is processed as it arrives.
 *
 * Only a line feed ends a line. Node's readline also splits at U+2028, which is valid inside a JSON
 * string.
 */
export async function* linesIn(
  chunks: AsyncIterable<Buffer>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Line[]> {
  const buffer = new LineBuffer(maxBytes);
  let number = 0;
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      buffer.add(chunk.subarray(start, end));
      number += 1;
      lines.push(...lineOf(number, buffer));
      start = end + 1;
    }
    buffer.add(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  const last = lineOf(number + 1, buffer);
  if (last.length > 0) yield last;
}

/** Reads a whole input as one line. */
export async function* completeDocument(
  chunks: AsyncIterable<Buffer>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Line[]> {
  const buffer = new LineBuffer(maxBytes);
  for await (const chunk of chunks) buffer.add(chunk);
  const whole = lineOf(1, buffer);
  yield whole.length > 0 ? whole : [{ number: 1, problem: "empty" }];
}

/** The buffered line; none if it is blank. */
function lineOf(number: number, buffer: LineBuffer): Line[] {
  const bytes = buffer.take();
  if (bytes === "too-long") {
    return [{ number, problem: `longer than ${buffer.maxBytes.toLocaleString("en-US")} bytes` }];
  }
  if (!isUtf8(bytes)) return [{ number, problem: "not UTF-8" }];
  const text = bytes.toString();
  // Captures that `cat` concatenated can each start with a byte order mark.
  const withoutMark = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return /\S/.test(withoutMark) ? [{ number, text: withoutMark }] : [];
}

/** Collects the bytes of an incomplete line, up to a limit. */
class LineBuffer {
  readonly maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  take(): Buffer | "too-long" {
    const isTooLong = this.#length > this.maxBytes;
    const [only = Buffer.alloc(0), ...others] = this.#parts;
    const bytes = others.length > 0 ? Buffer.concat(this.#parts) : only;
    this.#parts = [];
    this.#length = 0;
    return isTooLong ? "too-long" : bytes;
  }
}
