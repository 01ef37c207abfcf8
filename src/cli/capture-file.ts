import { open } from "node:fs/promises";
import { reasonOf } from "../errors.ts";
import { type OpenOutput, openForAppending, refuseUnwritable } from "./file.ts";
import { targetOf, unwritable } from "./output-target.ts";

/** A delivery as it came. */
export interface CapturedDelivery {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** The headers that a capture keeps, by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text. */
  readonly text: string;
  readonly isJson: boolean;
}

const NEWLINE = 0x0a;

/**
 * A file that deliveries are appended to, a line each, as `validate` and `history` read them. A
 * line is written as a whole, so that a process that is killed leaves behind all but the last.
 */
export class CaptureFile {
  readonly name: string;
  /** Whether the file ended within a line, which was then ended. */
  readonly isRepaired: boolean;
  readonly #output: OpenOutput;
  #last: Promise<void> = Promise.resolve();
  #isWithinLine = false;

  private constructor(name: string, output: OpenOutput, isRepaired: boolean) {
    this.name = name;
    this.#output = output;
    this.isRepaired = isRepaired;
  }

  /** Opens or makes the file. Rejects with a TxfeedError `file` where that fails. */
  static async open(name: string): Promise<CaptureFile> {
    await refuseUnwritable(name);
    const isWithinLine = await endsWithinLine(name);
    const output = await openForAppending(name);
    if (isWithinLine) await output.write("\n");
    return new CaptureFile(name, output, isWithinLine);
  }

  /**
   * Appends a delivery; resolves when it is in the file. Rejects with a TxfeedError `file` where it
   * can't be written; what is appended later stands on a line of its own all the same.
   */
  append(received: CapturedDelivery): Promise<void> {
    const appended = this.#last.then(() => this.#write(lineFor(received)));
    this.#last = appended.catch(() => undefined);
    return appended;
  }

  /** Closes the file when all that was appended is in it. */
  async close(): Promise<void> {
    await this.#last;
    this.#output.close();
  }

  async #write(line: string): Promise<void> {
    try {
      await this.#output.write(this.#isWithinLine ? `\n${line}` : line);
      this.#isWithinLine = false;
    } catch (error) {
      this.#isWithinLine = true;
      throw error;
    }
  }
}

/** Whether a killed process left half a line at the end, which would spoil the next one. */
async function endsWithinLine(name: string): Promise<boolean> {
  const target = targetOf(name);
  if (target.kind !== "file" || !target.stats || target.stats.size === 0) return false;
  try {
    const handle = await open(target.path);
    const { buffer } = await handle
      .read(Buffer.alloc(1), 0, 1, target.stats.size - 1)
      .finally(() => handle.close());
    return buffer[0] !== NEWLINE;
  } catch (error) {
    throw unwritable(name, reasonOf(error), error);
  }
}

/**
 * The line for a delivery. The body stands in it as it came, not as JSON.parse understood it: a
 * line break in JSON is never within a string, so a space does as well.
 */
function lineFor({ receivedAt, headers, text, isJson }: CapturedDelivery): string {
  const head = JSON.stringify({ receivedAt, headers }).slice(0, -1);
  const body = isJson
    ? `"body":${text.replace(/[\r\n]+/g, " ")}`
    : `"rawBody":${JSON.stringify(text)}`;
  return `${head},${body}}\n`;
}
