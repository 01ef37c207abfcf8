import { isUtf8 } from "node:buffer";

/** A longer line is told of and passed over, so that no input can take all memory. */
export const LONGEST_LINE_BYTES = 100_000_000;

/** A line of the input: its text, or why it has none. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: string };

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = "\ufeff";

/**
 * Cuts NDJSON into its lines, counted from 1; blank ones count and are left out. All lines that a
 * chunk completes come together, so that a live input is judged as it comes.
 *
 * Only a line feed ends a line. Node's readline also ends one at U+2028, which may stand within a
 * JSON string.
 */
export async function* linesIn(
  chunks: AsyncIterable<Buffer>,
  longest = LONGEST_LINE_BYTES,
): AsyncGenerator<Line[]> {
  const held = new HeldBytes(longest);
  let number = 0;
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      held.add(chunk.subarray(start, end));
      number += 1;
      lines.push(...lineOf(number, held));
      start = end + 1;
    }
    held.add(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  const last = lineOf(number + 1, held);
  if (last.length > 0) yield last;
}

/** Takes a whole input as if it were one line, the first. */
export async function* wholeOf(
  chunks: AsyncIterable<Buffer>,
  longest = LONGEST_LINE_BYTES,
): AsyncGenerator<Line[]> {
  const held = new HeldBytes(longest);
  for await (const chunk of chunks) held.add(chunk);
  const whole = lineOf(1, held);
  yield whole.length > 0 ? whole : [{ number: 1, problem: "empty" }];
}

/** The line that the bytes held are, or none where it is blank. */
function lineOf(number: number, held: HeldBytes): Line[] {
  const bytes = held.take();
  if (bytes === "too-long") {
    return [{ number, problem: `longer than ${held.longest.toLocaleString("en-US")} bytes` }];
  }
  if (!isUtf8(bytes)) return [{ number, problem: "not UTF-8" }];
  const text = bytes.toString();
  // Of captures put together by `cat`, each may begin with one.
  const withoutMark = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return /\S/.test(withoutMark) ? [{ number, text: withoutMark }] : [];
}

/** The bytes of a line that is not whole yet; where it gets too long it is only counted. */
class HeldBytes {
  readonly longest: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(longest: number) {
    this.longest = longest;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.longest) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  take(): Buffer | "too-long" {
    const isTooLong = this.#length > this.longest;
    const [only = Buffer.alloc(0), ...others] = this.#parts;
    const bytes = others.length > 0 ? Buffer.concat(this.#parts) : only;
    this.#parts = [];
    this.#length = 0;
    return isTooLong ? "too-long" : bytes;
  }
}
